# least squares by the normal equations
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    W_tilde = np.tile(W_M_GQA, (D // r, 1))
    gram = W_M_GQA @ W_M_GQA.T
    W_UM = W_tilde @ W_M_GQA.T @ np.linalg.inv(gram)
    return W_UM, W_M_GQA
