def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde, full_matrices=False)
    return Vh[:r], U[:, :r] * S[:r]

W_M_GQA = np.random.randn(4, 24)
W_DKV_MLA, W_UM_MLA = GQA_2_MLA(W_M_GQA)
print(W_UM_MLA.shape, W_DKV_MLA.shape)
print(np.mean((np.tile(W_M_GQA, (6, 1)) - W_UM_MLA @ W_DKV_MLA) ** 2))
