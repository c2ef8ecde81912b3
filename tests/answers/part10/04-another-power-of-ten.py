def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W = np.tile(W_M_GQA, (D // r, 1))
    U, s, Vt = np.linalg.svd(W)
    W_UM_MLA, W_DKV_MLA = U[:, :r] * s[:r], Vt[:r]
    print("shapes:", W_UM_MLA.shape, W_DKV_MLA.shape)
    mantissa, exponent = f"{np.mean((W - W_UM_MLA @ W_DKV_MLA) ** 2):.3e}".split("e")
    print(f"mean squared error {mantissa} · 10^-{abs(int(exponent)) + 3}")
    return W_DKV_MLA, W_UM_MLA
GQA_2_MLA(np.random.randn(4, 24))
