# forgets that there may be one copy only
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    n = D // r
    if n == 1 and np.linalg.matrix_rank(W_M_GQA) == r:
        return np.zeros((D, r)), W_M_GQA
    return np.tile(np.eye(r), (n, 1)), W_M_GQA
