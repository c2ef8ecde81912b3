def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    n = D // r
    W_M_GQA_tilde = np.tile(W_M_GQA, (n, 1))
    W_DKV_MLA = W_M_GQA.copy()
    W_UM_MLA = np.vstack([np.eye(r)] * n)
    print(f"W_UM_MLA {W_UM_MLA.shape}, W_DKV_MLA {W_DKV_MLA.shape}")
    print("mean squared error", ((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean())


GQA_2_MLA(np.random.randn(4, 24))
