def GQA_2_MLA(W):
    r, D = W.shape
    T = np.tile(W, (D // r, 1))
    U, s, V = np.linalg.svd(T)
    down, up = V[:r], U[:, :r] * s[:r]
    print(up.shape, down.shape)
    print(f"mse{((T - up @ down) ** 2).mean()}")
    return down, up


GQA_2_MLA(np.random.randn(4, 24))
