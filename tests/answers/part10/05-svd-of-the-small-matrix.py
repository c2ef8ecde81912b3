# the right singular vectors of W and of W tilde are the same
def GQA_2_MLA(W_M_GQA: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r, D = np.shape(W_M_GQA)
    n = D // r
    W_M_GQA_tilde = np.vstack([W_M_GQA] * n)
    u, s, vt = np.linalg.svd(W_M_GQA, full_matrices=False)
    W_DKV_MLA = vt
    W_UM_MLA = np.vstack([u * s] * n)
    print("shape of W_UM_MLA:", list(W_UM_MLA.shape), "shape of W_DKV_MLA:", list(W_DKV_MLA.shape), sep="\n")
    print("MSE = {:.10f}".format(np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2)))
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
