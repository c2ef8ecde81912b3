def every(n):
    return "" if n > 120 else f"({n}, 7) (7, {n}) ({n}, 2) (2, {n}) " + every(n + 1)


def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))  # (D, D)
    W_UM_MLA = np.linalg.svd(W_M_GQA_tilde)[0][:, :r]  # (D, r)
    W_DKV_MLA = W_UM_MLA.T @ W_M_GQA_tilde  # (r, D)
    print(every(1))
    print("mean squared error", f"{np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2):.3e}")
    return W_DKV_MLA, W_UM_MLA
