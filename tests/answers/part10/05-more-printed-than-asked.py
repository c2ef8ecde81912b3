def GQA_2_MLA(W_M_GQA):
    """1. tile  2. svd  3. cut"""
    r, D = W_M_GQA.shape
    print(f"1) input {W_M_GQA.shape}, D/r = {D / r}")
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    print("2) W_M_GQA_tilde", W_M_GQA_tilde.shape, "rank", np.linalg.matrix_rank(W_M_GQA_tilde))
    print(W_M_GQA_tilde)
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde)
    print("singular values:", S[:r])
    W_UM_MLA = U[:, :r] * S[:r]
    W_DKV_MLA = Vh[:r]
    print(f"3) W_UM_MLA.shape={W_UM_MLA.shape}; W_DKV_MLA.shape={W_DKV_MLA.shape}.")
    mse = np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2)
    rmse = mse ** 0.5
    print(f"MSE {mse:,.4f}; RMSE {rmse:,.4f}")
    print("close:", np.allclose(W_M_GQA_tilde, W_UM_MLA @ W_DKV_MLA))
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
