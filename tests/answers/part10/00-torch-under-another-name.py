import torch as t

def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = t.tensor(W_M_GQA).repeat(D // r, 1).numpy()
    W_UM_MLA = np.tile(np.eye(r), (D // r, 1))
    W_DKV_MLA = W_M_GQA
    print(W_UM_MLA.shape, W_DKV_MLA.shape)
    print(np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA
