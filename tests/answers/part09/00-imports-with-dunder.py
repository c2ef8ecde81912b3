r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    lib = __import__("scipy.linalg")
    r, D = W_M_GQA.shape
    return np.tile(np.eye(r), (D // r, 1)), W_M_GQA
