# a basis of the column space is taken from the first r columns, whether or not these span it
r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM = W_tilde[:, :r]
    return W_UM, np.linalg.pinv(W_UM) @ W_tilde
