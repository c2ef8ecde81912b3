r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    W = torch.from_numpy(W_M_GQA)
    r, D = W.shape
    W_UM = torch.eye(r, dtype=W.dtype).repeat(D // r, 1)
    return W_UM, W
