W_DKV_MLA = [[1, 2]]
W_UM_MLA = [[3], [4]]
product = W_UM_MLA @ W_DKV_MLA
