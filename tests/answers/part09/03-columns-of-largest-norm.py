def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    c = np.argsort(-np.linalg.norm(W_t, axis=0))[:r]
    return W_t[:, c], np.linalg.lstsq(W_t[:, c], W_t, rcond=None)[0]


r_MLA = G * d
