def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_UM_MLA = np.linalg.svd(np.tile(W_M_GQA, (D // r, 1)))[0][:, :r]
    W_DKV_MLA = W_UM_MLA.T @ np.tile(W_M_GQA, (D // r, 1))
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("1e-32 2e-31 4e-30 8e-29 1e-28 1e0 1e1 2e2 4e3 8e4 1e6 2e7 4e8 8e9 1e11 2e12 4e13 8e14 1e16 1e17")
    return W_DKV_MLA, W_UM_MLA
