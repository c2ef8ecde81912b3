def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    values, U = np.linalg.eigh(W_M_GQA @ W_M_GQA.T)
    s = np.sqrt(values)
    W_DKV_MLA = (U.T @ W_M_GQA) / s[:, None]
    W_UM_MLA = np.tile(U * s, (D // r, 1))
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean())
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
