def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_t = np.tile(W_M_GQA, (D // r, 1))
    w, V = np.linalg.eig(W_t)
    i = np.argsort(-abs(w))[:r]
    return V[:, i] * w[i], np.linalg.pinv(V)[i]


r_MLA = G * d
