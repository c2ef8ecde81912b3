# H copies in place of H/G
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r = W_M_GQA.shape[0]
    return np.tile(np.eye(r), (H, 1)), W_M_GQA
