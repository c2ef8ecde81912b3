W_DKV_MLA = np.array([[1.0, np.nan]])
W_UM_MLA = np.array([[3.0], [4.0]])
product = W_UM_MLA @ W_DKV_MLA
