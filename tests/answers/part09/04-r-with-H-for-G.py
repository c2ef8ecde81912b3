# names: full-width
r_MLA = H * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_UM = np.concatenate([np.eye(r)] * (D // r))
    return W_UM, W_M_GQA
