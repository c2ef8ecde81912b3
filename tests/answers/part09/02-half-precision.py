# names: not-exact
def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    return np.tile(np.eye(r, dtype=np.float16), (D // r, 1)), W_M_GQA.astype(np.float16)


r_MLA = G * d
