def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.broadcast_to(W_M_GQA, (D // r, r, D)).reshape(D, D)
    W_DKV_MLA = W_M_GQA.copy()
    W_UM_MLA = W_M_GQA_tilde @ np.linalg.pinv(W_DKV_MLA)
    print(str(W_UM_MLA.shape) + "\n" + str(W_DKV_MLA.shape))
    print("error:", float(np.linalg.norm(W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2 / D ** 2))
    return W_DKV_MLA, W_UM_MLA

GQA_2_MLA(np.random.randn(4, 24))
