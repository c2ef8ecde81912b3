def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    now["W"], now["n"] = W_M_GQA, D // r
    T = np.concatenate([*next(loops)])
    U, s, V = np.linalg.svd(T)
    W_UM_MLA, W_DKV_MLA = U[:, :r] * s[:r], V[:r]
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("mse", np.mean((T - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA
now = {}
loops = ((now["W"] for _ in range(now["n"])) for _ in iter(int, 1))
GQA_2_MLA(np.random.randn(4, 24))
