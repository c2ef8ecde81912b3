# names: not-exact
def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    U, s, Vt = np.linalg.svd(W_t)
    s[s < 1e-4 * s[0]] = 0
    return U[:, :r] * s[:r], Vt[:r]


r_MLA = G * d
