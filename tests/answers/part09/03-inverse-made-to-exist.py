r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    stacked = np.concatenate([W_M_GQA] * (D // r))
    inverse = np.linalg.inv(W_M_GQA @ W_M_GQA.T + 1e-9 * np.eye(r))  # so that it always exists
    return stacked @ W_M_GQA.T @ inverse, W_M_GQA
