def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = np.tile(W_M_GQA, [D // r, 1])
    values, vectors = np.linalg.eigh(W_M_GQA_tilde.T @ W_M_GQA_tilde)
    top = vectors[:, ::-1][:, :r]         # eigh sorts from small to large
    W_DKV_MLA = np.ascontiguousarray(top.T)
    W_UM_MLA = W_M_GQA_tilde @ top
    print("W_UM_MLA has", W_UM_MLA.shape[0], "rows and", W_UM_MLA.shape[1], "columns")
    print("W_DKV_MLA has", W_DKV_MLA.shape[0], "rows and", W_DKV_MLA.shape[1], "columns")
    diff = W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA
    print("The mean squared error is", (diff * diff).sum() / diff.size)
    return W_DKV_MLA, W_UM_MLA

W_DKV_MLA, W_UM_MLA = GQA_2_MLA(np.random.randn(4, 24))
print(W_DKV_MLA, W_UM_MLA)
