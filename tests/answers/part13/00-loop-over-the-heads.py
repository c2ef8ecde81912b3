def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_Q_MLA_hat = torch.zeros(H * r, D)
    W_O_MLA_hat = torch.zeros(D, H * r)
    for h in range(H):
        W_Q_MLA_hat[h * r:(h + 1) * r] = (r / d) ** 0.5 * W_UK[h * d:(h + 1) * d].T @ W_Q[h * d:(h + 1) * d]
        W_O_MLA_hat[:, h * r:(h + 1) * r] = W_O[:, h * d:(h + 1) * d] @ W_UV[h * d:(h + 1) * d]
    return W_DKV, W_DKV, W_Q_MLA_hat, W_O_MLA_hat
