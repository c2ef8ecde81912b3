r_MLA = D * G // H

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    basis = np.random.randn(r, r) + 3 * r * np.eye(r)
    W_UM = np.einsum("n,ij->nij", np.ones(D // r), basis).reshape(D, r)
    return W_UM, np.linalg.solve(basis, W_M_GQA)
