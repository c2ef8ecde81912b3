def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    return W_t[:, -r:], np.linalg.lstsq(W_t[:, -r:], W_t, rcond=None)[0]


r_MLA = G * d
