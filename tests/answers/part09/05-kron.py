r_MLA = G * D / H

def factor_gqa(W_M_GQA, H):
    Gd, D = W_M_GQA.shape
    d = D // H
    G = Gd // d
    W_UM = np.kron(np.ones((H // G, 1)), np.eye(G * d))
    W_DKV = W_M_GQA.copy()
    return W_UM, W_DKV
