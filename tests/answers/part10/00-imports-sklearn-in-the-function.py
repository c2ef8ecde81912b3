def GQA_2_MLA(W_M_GQA):
    from sklearn.metrics import mean_squared_error
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM_MLA = np.tile(np.eye(r), (D // r, 1))
    W_DKV_MLA = W_M_GQA
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(mean_squared_error(W_M_GQA_tilde, W_UM_MLA @ W_DKV_MLA))
    return W_DKV_MLA, W_UM_MLA
