W_UM_MLA = np.array([[True], [False]])
W_DKV_MLA = np.array([[1.5, 0.0]])
product = W_UM_MLA @ W_DKV_MLA
