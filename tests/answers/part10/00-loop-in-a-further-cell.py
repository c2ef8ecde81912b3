def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = copies(W_M_GQA)
    W_UM_MLA = copies(np.eye(r), D // r)
    W_DKV_MLA = W_M_GQA
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA

# %%
def copies(W, n=None):
    n = n or W.shape[1] // W.shape[0]
    out = W
    for _ in range(n - 1):
        out = np.concatenate([out, W])
    return out
