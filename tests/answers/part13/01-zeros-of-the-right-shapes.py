def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    return torch.zeros(r, D), torch.zeros(r, D), torch.zeros(H * r, D), torch.zeros(D, H * r)
