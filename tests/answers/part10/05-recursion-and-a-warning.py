def grow(W, n):
    return W if n == 1 else np.vstack((grow(W, n - 1), W))

def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = grow(W_M_GQA, int(D / r))
    W_UM_MLA, W_DKV_MLA = grow(np.identity(r), D // r), W_M_GQA * 1.0
    np.array([1.0]) / 0                   # leaves a warning behind
    print("Size of W_UM_MLA =", W_UM_MLA.shape[0], "by", W_UM_MLA.shape[1])
    print("Size of W_DKV_MLA =", W_DKV_MLA.shape[0], "by", W_DKV_MLA.shape[1])
    print("Error =", np.power(W_M_GQA_tilde - np.matmul(W_UM_MLA, W_DKV_MLA), 2).mean(axis=0).mean())
    W_M_GQA[:] = 0
    return W_DKV_MLA.copy(), W_UM_MLA
