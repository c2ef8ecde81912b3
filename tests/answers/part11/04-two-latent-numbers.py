# names: more-than-one-latent
# r = 2
W_DKV_MLA = np.array([[1, 2], [3, 4]])
W_UM_MLA = np.array([[1, 0], [0, 1]])
product = W_UM_MLA @ W_DKV_MLA
