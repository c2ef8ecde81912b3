def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    idx = np.arange(D) % r
    W_M_GQA_tilde = W_M_GQA[idx]
    solution, *_ = np.linalg.lstsq(W_M_GQA.T, W_M_GQA_tilde.T, rcond=None)
    W_UM_MLA, W_DKV_MLA = solution.T, W_M_GQA
    print(f"{W_UM_MLA.shape[0]} x {W_UM_MLA.shape[1]} and {W_DKV_MLA.shape[0]} x {W_DKV_MLA.shape[1]}, "
          f"mse {np.mean((W_UM_MLA @ W_DKV_MLA - W_M_GQA_tilde)**2):g}")
    return W_DKV_MLA, W_UM_MLA

# np.random.seed(0)
x = np.random.randn(4, 24)
res = GQA_2_MLA(x)
