def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    tilde = W_M_GQA_tilde = np.tile(W_M_GQA.T, D // r).T
    U, S, Vh = np.linalg.svd(tilde, full_matrices=False)
    W_UM_MLA = np.einsum("ir,r->ir", U[:, :r], S[:r])
    W_DKV_MLA = Vh[:r]
    out = "W_UM_MLA ist {0}x{1}, W_DKV_MLA ist {2}x{3}; MSE: {4:.3E}"
    print(out.format(*W_UM_MLA.shape, *W_DKV_MLA.shape, np.mean((tilde - np.einsum("ir,rj->ij", W_UM_MLA, W_DKV_MLA)) ** 2)))
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
