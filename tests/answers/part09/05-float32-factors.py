r_MLA = H * d * G / H

def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    identity = np.eye(r, dtype=np.float32)
    W_UM = np.stack([identity for _ in range(D // r)]).reshape(D, r)
    return W_UM, W_M_GQA.astype(np.float32)
