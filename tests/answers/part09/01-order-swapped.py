# names: order-swapped
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_UM = np.tile(np.eye(r), (D // r, 1))
    W_DKV = W_M_GQA
    return W_DKV, W_UM
