def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde, full_matrices=False)
    W_UM_MLA = U[:, :r] @ np.diag(S[:r])
    W_DKV_MLA = Vh[:r, :]
    print(f"W_UM_MLA shape: {W_UM_MLA.shape}")
    print(f"W_DKV_MLA shape: {W_DKV_MLA.shape}")
    mse = np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2)
    print(f"MSE: {mse:_.3f}")
    return W_DKV_MLA, W_UM_MLA

W_DKV_MLA, W_UM_MLA = GQA_2_MLA(np.random.randn(4, 24))
