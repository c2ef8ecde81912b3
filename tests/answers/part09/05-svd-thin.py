r_MLA = d * G


def factor_gqa(W_M_GQA, H):
    r = W_M_GQA.shape[0]
    D = W_M_GQA.shape[1]
    W_tilde = np.vstack([W_M_GQA] * (D // r))
    U, S, Vh = np.linalg.svd(W_tilde, full_matrices=False)
    return U[:, :r] @ np.diag(S[:r]), Vh[:r, :]
