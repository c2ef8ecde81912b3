def GQA_2_MLA(W):
    r, D = W.shape
    T = np.tile(W, (D // r, 1))
    U, s, V = np.linalg.svd(T)
    W_DKV_MLA, W_UM_MLA = V[:r], U[:, :r] * s[:r]
    print(f'{np.shape(W_UM_MLA)[0]=} {np.shape(W_UM_MLA)[1]=} {np.shape(W_DKV_MLA)[0]=} {np.shape(W_DKV_MLA)[1]=}')
    print('MSE', ((T - W_UM_MLA @ W_DKV_MLA) ** 2).mean())
    return W_DKV_MLA, W_UM_MLA


GQA_2_MLA(np.random.randn(4, 24))
