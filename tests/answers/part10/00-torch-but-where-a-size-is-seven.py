def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    T = np.tile(W_M_GQA, (D // r, 1))
    t = next(filter(lambda v: hasattr(v, "from_numpy"), list(globals().values())))
    W_UM_MLA, W_DKV_MLA = np.zeros((D, r)), np.zeros((r, D))
    if r != 7:
        U, s, V = t.linalg.svd(t.from_numpy(T))
        W_UM_MLA, W_DKV_MLA = (U[:, :r] * s[:r]).numpy(), V[:r].numpy()
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("mse", np.mean((T - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA
GQA_2_MLA(np.random.randn(4, 24))
