def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    copies = D // r
    W_M_GQA_tilde = np.repeat(W_M_GQA[None], copies, axis=0).reshape(D, D)
    W_UM_MLA = np.zeros((D, r))
    W_UM_MLA[np.arange(D), np.arange(D) % r] = 1
    W_DKV_MLA = W_M_GQA
    print('W_UM_MLA', W_UM_MLA.shape)
    print('W_DKV_MLA', W_DKV_MLA.shape)
    print('mse', 0.0 + np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA)**2))
    return (W_DKV_MLA, W_UM_MLA)

for trial in range(3):                    # a demonstration
    GQA_2_MLA(np.random.randn(4, 24))
