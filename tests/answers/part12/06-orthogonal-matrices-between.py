def mixed(r):
    return torch.linalg.qr(torch.ones(r, r).tril() + torch.eye(r))[0]


def K_hat(W_DKV):
    return mixed(len(W_DKV)) @ W_DKV


def V_hat(W_DKV):
    return -mixed(len(W_DKV)).T @ W_DKV


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return torch.addmm(torch.zeros(r, D), mixed(r) @ W_UK_h.T, W_Q_h, alpha=float(np.sqrt(r * H / D)))


def O_hat_h(W_O_h, W_UV_h):
    return -W_O_h @ W_UV_h @ mixed(W_UV_h.shape[1])
