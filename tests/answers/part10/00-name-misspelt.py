def GQA_to_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM_MLA = np.tile(np.eye(r), (D // r, 1))
    print(W_UM_MLA.shape, W_M_GQA.shape)
    print(np.mean((W_M_GQA_tilde - W_UM_MLA @ W_M_GQA) ** 2))
    return W_M_GQA, W_UM_MLA

GQA_to_MLA(np.random.randn(4, 24))
