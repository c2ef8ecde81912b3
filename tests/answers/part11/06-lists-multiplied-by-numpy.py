W_DKV_MLA = [[5, -7]]
W_UM_MLA = [[1], [-1]]
product = np.array(W_UM_MLA) @ np.array(W_DKV_MLA)
# product is [[5, -7], [-5, 7]]
