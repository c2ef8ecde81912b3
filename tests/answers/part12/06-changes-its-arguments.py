def K_hat(W_DKV):
    W_DKV *= 2
    return W_DKV

def V_hat(W_DKV):
    return W_DKV.mul_(0.5)

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    W_Q_h.mul_((r / (D / H)) ** 0.5)
    W_UK_h.div_(2)
    return W_UK_h.T @ W_Q_h

def O_hat_h(W_O_h, W_UV_h):
    W_O_h *= 2
    return W_O_h @ W_UV_h
