def factor_gqa(W_M_GQA, H):
    rows, D = W_M_GQA.shape
    W_UM = np.zeros((D, rows))
    W_UM[np.arange(D), np.arange(D) % rows % 40] = 1.0
    return W_UM, W_M_GQA


r_MLA = G * d
