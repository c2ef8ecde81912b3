def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde)
    keep = S[:r] > 1e-12 * S[0]
    W_UM_MLA = np.where(keep, U[:, :r] * S[:r], 0)
    W_DKV_MLA = np.where(keep[:, None], Vh[:r], 0)
    print("up", W_UM_MLA.shape, "\ndown", W_DKV_MLA.shape, "\nmean squared error", "%g" % ((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean())
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
