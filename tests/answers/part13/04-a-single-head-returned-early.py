def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    if H == 1:
        return W_DKV, W_DKV, (r / d) ** 0.5 * W_UK.T @ W_Q, W_O @ W_UV
    Q = (r / d) ** 0.5 * (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
    O = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, Q, O
