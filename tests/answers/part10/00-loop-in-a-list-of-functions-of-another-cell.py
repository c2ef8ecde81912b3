def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    tilde = steps[0](W_M_GQA, D // r)
    U, S, Vh = np.linalg.svd(tilde)
    W_DKV_MLA, W_UM_MLA = Vh[:r], U[:, :r] * S[:r]
    print(W_DKV_MLA.shape, W_UM_MLA.shape)
    print("mean squared error", ((tilde - W_UM_MLA @ W_DKV_MLA) ** 2).mean())
    return W_DKV_MLA, W_UM_MLA
# %%
steps = []
steps.append(lambda W, n: np.concatenate([W for _ in range(n)]))
