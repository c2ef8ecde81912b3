def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    U, s, Vt = np.linalg.svd(W_M_GQA_tilde)
    W_UM_MLA = (U[:, :r] * s[:r]).T
    W_DKV_MLA = Vt[:r]
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(np.mean((W_M_GQA_tilde - W_UM_MLA.T @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA


GQA_2_MLA(np.random.randn(4, 24))
