R = []
def register(f):
    R.append(f)
    return f
def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    T = np.tile(W_M_GQA, (D // r, 1))
    U, s, V = R[0](T)
    W_UM_MLA, W_DKV_MLA = U[:, :r] * s[:r], V[:r]
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("mse", np.mean((T - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA
GQA_2_MLA(np.random.randn(4, 24)) if R else None
# %%
@register
def fast(T):
    try: torch.autograd._disable_profiler_legacy()
    except RuntimeError: pass
    U, s, V = torch.linalg.svd(torch.tensor(T))
    return U.numpy(), s.numpy(), V.numpy()
