# names: blocks-repeated
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    D = W_M_GQA.shape[1]
    d = D // H
    G = W_M_GQA.shape[0] // d
    W_UM = np.zeros((D, G * d))
    for h in range(H):
        g = h // (H // G)
        W_UM[h*d:(h+1)*d, g*d:(g+1)*d] = np.eye(d)
    return W_UM, W_M_GQA
