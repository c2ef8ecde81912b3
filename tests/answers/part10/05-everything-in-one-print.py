def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.concatenate((W_M_GQA,) * (D // r))
    left, s, right = np.linalg.svd(W_M_GQA_tilde)
    W_UM_MLA = (left @ np.diag(s))[:, :r]
    W_DKV_MLA = right[:r]
    print([W_UM_MLA.shape, W_DKV_MLA.shape, ((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean()])
    return [W_DKV_MLA, W_UM_MLA]

W_M_GQA = np.random.randn(4, 24)
GQA_2_MLA(W_M_GQA)
