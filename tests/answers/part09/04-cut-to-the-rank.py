# names: cut-to-the-rank
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    W_tilde = np.concatenate([W_M_GQA] * (W_M_GQA.shape[1] // W_M_GQA.shape[0]))
    U, S, Vh = np.linalg.svd(W_tilde)
    k = np.linalg.matrix_rank(W_tilde)
    return U[:, :k] * S[:k], Vh[:k]
