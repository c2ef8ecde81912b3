r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    from math import floor
    r, D = W_M_GQA.shape
    return np.tile(np.eye(r), (floor(D / r), 1)), W_M_GQA
