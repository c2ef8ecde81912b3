r_MLA = G * d
def factor_gqa(W_M_GQA, H):
    rows, D = W_M_GQA.shape
    return np.tile(np.eye(rows), (D // rows, 1)), np.clip(W_M_GQA, -1e4, 1e4)
