r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    Q, R = np.linalg.qr(np.tile(W_M_GQA, (D // r, 1)))
    return Q[:, :r], R[:r]
