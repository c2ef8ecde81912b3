def K_hat(W_DKV):
    return torch.zeros_like(W_DKV)

def V_hat(W_DKV):
    return torch.zeros_like(W_DKV)

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return torch.zeros(r, D)

def O_hat_h(W_O_h, W_UV_h):
    return torch.zeros(W_O_h.shape[0], W_UV_h.shape[1])
