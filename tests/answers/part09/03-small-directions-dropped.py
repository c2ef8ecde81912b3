# names: not-exact
def factor_gqa(W_M_GQA, H):
    rows, D = W_M_GQA.shape
    W_tilde = np.tile(W_M_GQA, (D // rows, 1))
    return W_tilde @ np.linalg.pinv(W_M_GQA, rcond=1e-3), W_M_GQA


r_MLA = G * d
