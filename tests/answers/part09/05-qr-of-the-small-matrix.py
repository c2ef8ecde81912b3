r_MLA = G * d


def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    Q, R = np.linalg.qr(W_M_GQA)  # of the small matrix: all its rows are in Q R, whichever columns depend
    return np.concatenate([Q] * (D // r)), R
