r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_tilde = np.tile(W_M_GQA, (D // r, 1))
    s2, V = np.linalg.eigh(W_M_GQA @ W_M_GQA.T)
    s = np.sqrt(s2)
    W_DKV = (V / s).T @ W_M_GQA
    return W_tilde @ W_DKV.T, W_DKV
