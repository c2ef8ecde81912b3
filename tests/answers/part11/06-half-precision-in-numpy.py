W_DKV_MLA = np.array([[1.3, 2.7]], dtype=np.float16)
W_UM_MLA = np.array([[0.7], [-1.9]], dtype=np.float16)
product = W_UM_MLA @ W_DKV_MLA
