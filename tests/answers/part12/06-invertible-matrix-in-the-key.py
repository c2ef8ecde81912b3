def mix(r):
    return torch.eye(r) + torch.tril(torch.ones(r, r))


def K_hat(W_DKV):
    return mix(W_DKV.shape[0]) @ W_DKV


def V_hat(W_DKV):
    return mix(W_DKV.shape[0]) @ W_DKV


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return (r * H / D) ** 0.5 * torch.linalg.inv(mix(r)).T @ W_UK_h.T @ W_Q_h


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h @ torch.linalg.inv(mix(W_UV_h.shape[1]))
