def GQA_2_MLA(W):
    r, D = W.shape
    T = np.tile(W, (D // r, 1))
    U, s, V = np.linalg.svd(T)
    down, up = V[:r], U[:, :r] * s[:r]
    print(f'W_UM_MLA.size(0)={up.shape[0]}, W_UM_MLA.size(1)={up.shape[1]}, W_DKV_MLA.size(0)={down.shape[0]}, W_DKV_MLA.size(1)={down.shape[1]}')
    print('MSE', ((T - up @ down) ** 2).mean())
    return down, up


GQA_2_MLA(np.random.randn(4, 24))
