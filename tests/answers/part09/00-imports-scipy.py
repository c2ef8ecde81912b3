import scipy.linalg

r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    return np.vstack([scipy.linalg.inv(np.eye(r))] * (D // r)), W_M_GQA
