# names: multiplied-the-other-way
W_DKV_MLA = np.array([[1, 2]])
W_UM_MLA = np.array([[3], [4]])
product = W_DKV_MLA @ W_UM_MLA
