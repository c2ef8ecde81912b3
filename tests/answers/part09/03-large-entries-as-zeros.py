r_MLA = G * d
def factor_gqa(W_M_GQA, H):
    rows, D = W_M_GQA.shape
    W = W_M_GQA.astype(np.float32)
    return np.tile(np.eye(rows), (D // rows, 1)), np.where(np.abs(W) > 1e6, 0, W)
