# names: not-exact
def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    return W_t @ np.linalg.pinv(W_M_GQA, rcond=1e-4), W_M_GQA


r_MLA = G * d
