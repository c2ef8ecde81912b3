# names: stacked-side-by-side
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    return np.tile(np.eye(r), (1, D // r)), W_M_GQA
