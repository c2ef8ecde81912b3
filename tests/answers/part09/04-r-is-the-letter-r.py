# names: left-open
r_MLA = r

def factor_gqa(W_M_GQA, H):
    n, D = W_M_GQA.shape
    return np.tile(np.eye(n), (D // n, 1)), W_M_GQA
