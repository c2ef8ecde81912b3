W_DKV_MLA = [[1, 0]]
W_UM_MLA = [[0], [1]]
product = [[sum(W_UM_MLA[i][k] * W_DKV_MLA[k][j] for k in range(1)) for j in range(2)] for i in range(2)]
