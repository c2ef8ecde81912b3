# names: rows-equal
W_DKV_MLA = np.array([[1, 1]])
W_UM_MLA = np.array([[1], [1]])
product = np.array([[1, 2], [3, 4]])
