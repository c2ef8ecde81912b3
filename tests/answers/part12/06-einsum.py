def K_hat(W_DKV):
    return torch.einsum("rd->rd", W_DKV)


def V_hat(W_DKV):
    return torch.einsum("rd->rd", W_DKV)


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    d = D // H
    scale = (r / d) ** 0.5
    return torch.einsum("ij,ik->jk", W_UK_h, W_Q_h) * scale


def O_hat_h(W_O_h, W_UV_h):
    return torch.einsum("ab,bc->ac", W_O_h, W_UV_h)
