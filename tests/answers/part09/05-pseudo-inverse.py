r_MLA = D_qk * G

def factor_gqa(W_M_GQA, H):
    W_tilde = np.tile(W_M_GQA, (W_M_GQA.shape[1] // W_M_GQA.shape[0], 1))
    return W_tilde @ np.linalg.pinv(W_M_GQA), W_M_GQA
