# names: rows-repeated
# every row D/r times, one after the other
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    return np.repeat(np.eye(r), D // r, axis=0), W_M_GQA
