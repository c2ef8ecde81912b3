def GQA_2_MLA(W):
    r, D = W.shape
    T = np.tile(W, (D // r, 1))
    U, s, V = np.linalg.svd(T)
    down, up = V[:r], U[:, :r] * s[:r]
    print(f'W_UM_MLA: dim 1: {up.shape[0]}, dim 2: {up.shape[1]}')
    print(f'W_DKV_MLA: dim 1: {down.shape[0]}, dim 2: {down.shape[1]}')
    print('MSE', ((T - up @ down) ** 2).mean())
    return down, up


GQA_2_MLA(np.random.randn(4, 24))
