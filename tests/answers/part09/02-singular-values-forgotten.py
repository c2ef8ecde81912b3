# names: singular-values-forgotten
r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    U, S, Vh = np.linalg.svd(np.tile(W_M_GQA, (D // r, 1)))
    return U[:, :r], Vh[:r]
