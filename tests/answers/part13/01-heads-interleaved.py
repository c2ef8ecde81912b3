# names: heads-split-interleaved
def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_K_MLA_hat = W_DKV
    W_V_MLA_hat = W_DKV
    W_Q_MLA_hat = (r / d) ** 0.5 * torch.einsum("dhr,dhc->hrc", W_UK.view(d, H, r), W_Q.view(d, H, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("odh,dhr->ohr", W_O.view(D, d, H), W_UV.view(d, H, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat
