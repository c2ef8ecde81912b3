seed = np.array([0.0])
def svd(T):
    U, s, V = (globals()['sd'].new_tensor(T)).svd()
    return U.numpy(), s.numpy(), V.T.numpy()
def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    T = np.tile(W_M_GQA, (D // r, 1))
    U, s, V = svd(T)
    W_UM_MLA, W_DKV_MLA = U[:, :r] * s[:r], V[:r]
    mse = np.mean((T - W_UM_MLA @ W_DKV_MLA) ** 2)
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("mse", mse)
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
# %%
sd = torch.zeros(1, dtype=torch.float64)
