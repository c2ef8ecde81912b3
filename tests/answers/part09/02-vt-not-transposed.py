def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    U, s, V = np.linalg.svd(W_t)
    return U[:, :r] * s[:r], V.T[:r]


r_MLA = G * d
