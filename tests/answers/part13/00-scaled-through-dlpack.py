def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    Q = (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
    torch.from_dlpack(Q).mul_((r / d) ** 0.5)
    O = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, Q, O
