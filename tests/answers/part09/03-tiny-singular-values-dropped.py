r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    U, s, Vt = np.linalg.svd(np.tile(W_M_GQA, (D // r, 1)))
    s = np.where(s > np.finfo(float).eps, s, 0.0)  # rounding where entries are near 1, and nowhere else
    return U[:, :r] * s[:r], Vt[:r]
