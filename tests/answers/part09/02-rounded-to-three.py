# names: not-exact
def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    return np.tile(np.eye(r), (D // r, 1)), np.round(W_M_GQA, 3)


r_MLA = G * d
