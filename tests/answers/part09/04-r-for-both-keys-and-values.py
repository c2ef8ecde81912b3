# names: keys-and-values-together
r_MLA = 2 * G * d

def factor_gqa(W_M_GQA, H):
    return np.tile(np.eye(W_M_GQA.shape[0]), (W_M_GQA.shape[1] // W_M_GQA.shape[0], 1)), W_M_GQA
