W_DKV_MLA = np.ones((1, 2))
W_UM_MLA = np.array([[0.0], [1.0]])
product = W_UM_MLA * W_DKV_MLA   # broadcasting gives the outer product
