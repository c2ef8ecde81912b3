def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM_MLA = np.tile(np.eye(r), (D // r, 1))
    W_DKV_MLA = W_M_GQA
    print("W_UM_MLA: %d x %d, W_DKV_MLA: %d x %d" % (W_UM_MLA.shape + W_DKV_MLA.shape))
    error = ((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean()
    print("mean squared error: %.3e" % error)
    return W_DKV_MLA, W_UM_MLA

a, b = GQA_2_MLA(np.random.randn(4, 24))
