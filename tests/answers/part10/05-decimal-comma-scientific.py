def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W = np.tile(W_M_GQA, (D // r, 1))
    U, s, Vt = np.linalg.svd(W)
    W_UM_MLA, W_DKV_MLA = U[:, :r] * s[:r], Vt[:r]
    print("formes :", W_UM_MLA.shape, W_DKV_MLA.shape)
    print("erreur :", f"{np.mean((W - W_UM_MLA @ W_DKV_MLA) ** 2):.4e}".replace(".", ","))
    return W_DKV_MLA, W_UM_MLA
GQA_2_MLA(np.random.randn(4, 24))
