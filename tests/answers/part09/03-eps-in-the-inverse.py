# names: not-exact
def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    W_UM = W_t @ W_M_GQA.T @ np.linalg.inv(W_M_GQA @ W_M_GQA.T + 1e-6 * np.eye(r))
    return W_UM, W_M_GQA


r_MLA = G * d
