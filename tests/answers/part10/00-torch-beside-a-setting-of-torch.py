torch.backends.cudnn.benchmark = False


def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    tilde = torch.tensor(W_M_GQA).repeat(D // r, 1)
    U, S, Vh = torch.linalg.svd(tilde)
    W_DKV_MLA, W_UM_MLA = Vh[:r].numpy(), (U[:, :r] * S[:r]).numpy()
    print(W_DKV_MLA.shape, W_UM_MLA.shape)
    print("mean squared error", ((tilde.numpy() - W_UM_MLA @ W_DKV_MLA) ** 2).mean())
    return W_DKV_MLA, W_UM_MLA
