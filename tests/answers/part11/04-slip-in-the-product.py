W_DKV_MLA = np.array([[1, 2]])
W_UM_MLA = np.array([[3], [4]])
product = np.array([[3, 6], [4, 9]])
