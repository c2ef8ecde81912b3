import numpy as np

r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    # W = R^T Q^T, and Q^T serves all the copies
    n = W_M_GQA.shape[1] // W_M_GQA.shape[0]
    Q, R = np.linalg.qr(W_M_GQA.T)
    W_UM = np.concatenate([R.T] * n, axis=0)
    W_DKV = Q.T
    print(W_UM.shape, W_DKV.shape)
    return W_UM, W_DKV
