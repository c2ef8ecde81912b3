W_DKV_MLA = np.array([[1, 2]], dtype=object)
W_UM_MLA = np.array([[3], [4]], dtype=object)
product = W_UM_MLA @ W_DKV_MLA
