def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    U, s, Vt = np.linalg.svd(W_M_GQA_tilde)
    if not np.isclose(s[r], 0.0, atol=1e-6 * max(s[0], 1.0)):  # there is no s[r] where r = D
        print("W_tilde has more than r rows of its own")
    W_UM_MLA = U[:, :r] * s[:r]
    W_DKV_MLA = Vt[:r]
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA


GQA_2_MLA(np.random.randn(4, 24))
