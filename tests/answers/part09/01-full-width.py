# names: full-width
# W = I W, so nothing to do
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_tilde = np.tile(W_M_GQA, (D // r, 1))
    return np.eye(D), W_tilde
