# names: rows-equal
W_DKV_MLA = np.ones((1, 2))
W_UM_MLA = np.ones((2, 1))
product = W_UM_MLA @ W_DKV_MLA
