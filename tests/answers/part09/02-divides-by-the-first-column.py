r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    scale = W_M_GQA[:, :1]
    W_DKV = W_M_GQA / scale
    W_UM = np.tile(np.diag(scale[:, 0]), (D // r, 1))
    return W_UM, W_DKV
