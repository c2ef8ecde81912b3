def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM_MLA, W_DKV_MLA = np.tile(np.eye(r), (D // r, 1)), W_M_GQA
    print(f"{W_UM_MLA.shape[0]=}, {W_UM_MLA.shape[1]=}")
    print(f"{W_DKV_MLA.shape[0]=}, {W_DKV_MLA.shape[1]=}")
    print(f"MSE = {np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2):g}")
    return W_DKV_MLA, W_UM_MLA


GQA_2_MLA(np.random.randn(4, 24))
