def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    C = W_t.reshape(D, D // r, r).sum(axis=1)
    return C, np.linalg.lstsq(C, W_t, rcond=None)[0]


r_MLA = G * d
