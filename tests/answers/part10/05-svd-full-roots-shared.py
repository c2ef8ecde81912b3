def GQA_2_MLA(W_M_GQA):
    r = W_M_GQA.shape[0]
    D = W_M_GQA.shape[1]
    W_M_GQA_tilde = np.concatenate([W_M_GQA] * (D // r), axis=0)
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde)
    root = np.sqrt(S[:r])
    W_UM_MLA = U[:, :r] * root
    W_DKV_MLA = root[:, None] * Vh[:r]
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(np.square(W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA).mean())
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
