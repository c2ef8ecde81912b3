def factor_gqa(W_M_GQA, H):
    G, D = W_M_GQA.shape
    d = D // H
    W_UM = np.zeros((D, G))
    for h in range(H):
        W_UM[h * d:(h + 1) * d, h % G] = 1
    return W_UM, W_M_GQA


r_MLA = G * d
