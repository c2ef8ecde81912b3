def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    basis, _ = np.linalg.qr(np.random.randn(r, r))
    W_DKV_MLA = basis.T @ W_M_GQA
    W_UM_MLA = np.tile(basis, (D // r, 1))
    print(dict(W_UM_MLA=W_UM_MLA.shape, W_DKV_MLA=W_DKV_MLA.shape))
    print("rounded error", round(float(((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean()), 8))
    return W_DKV_MLA, W_UM_MLA
