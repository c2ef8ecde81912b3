def factor_gqa(W_M_GQA, H):
    rows, cols = W_M_GQA.shape
    out = {"W_UM": np.tile(np.eye(rows), (cols // rows, 1)), "W_DKV": W_M_GQA}
    return out.values()


r_MLA = G * d
