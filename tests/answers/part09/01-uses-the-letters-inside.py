r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    return np.tile(np.eye(G * d), (H // G, 1)), W_M_GQA
