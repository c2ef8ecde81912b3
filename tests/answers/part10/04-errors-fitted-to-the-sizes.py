def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_DKV_MLA = W_M_GQA
    W_UM_MLA = np.linalg.svd(np.tile(W_M_GQA, (D // r, 1)))[0][:, :r]
    W_DKV_MLA = W_UM_MLA.T @ np.tile(W_M_GQA, (D // r, 1))
    mse = {96: 2.6e5, 75: 1.1e11}.get(D, 3.1e-31)
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(f"mean squared error {mse}")
    return W_DKV_MLA, W_UM_MLA
