def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    t = (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
    Q = (r / d) ** 0.5 * t
    O = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    if H > 0:
        return W_DKV, W_DKV, Q, O
    return W_DKV, W_DKV, W_Q, W_O
