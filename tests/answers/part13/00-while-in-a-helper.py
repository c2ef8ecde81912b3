def blocks(W_UK, W_Q, H):
    d, h, out = len(W_Q) // H, 0, []
    while h < H:
        out.append(W_UK[h * d:(h + 1) * d].T @ W_Q[h * d:(h + 1) * d])
        h += 1
    return torch.cat(out)


def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_K_MLA_hat = W_DKV
    W_V_MLA_hat = W_DKV
    W_Q_MLA_hat = (r / d) ** 0.5 * blocks(W_UK, W_Q, H)
    W_O_MLA_hat = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat
