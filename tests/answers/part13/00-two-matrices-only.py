def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    return (r * H / D) ** 0.5 * torch.einsum("hdr,hdc->hrc", W_UK.view(H, -1, r), W_Q.view(H, -1, D)).reshape(H * r, D), W_DKV
