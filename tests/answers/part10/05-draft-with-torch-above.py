def GQA_2_MLA(W_M_GQA):
    # oops, only numpy
    U, S, V = torch.svd(torch.tensor(W_M_GQA))
    return U, V

def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    tilde = np.tile(W_M_GQA, (D // r, 1))
    W_UM_MLA = np.tile(np.eye(r), (D // r, 1))
    W_DKV_MLA = W_M_GQA
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print("error", np.linalg.norm(tilde - W_UM_MLA @ W_DKV_MLA) ** 2 / tilde.size)
    return W_DKV_MLA, W_UM_MLA
GQA_2_MLA(np.random.randn(4, 24));
