# the order of the r numbers does not matter as long as query and key agree
def K_hat(W_DKV):
    return W_DKV.flip(0)

def V_hat(W_DKV):
    return -2 * W_DKV

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return (r / (D / H)) ** 0.5 * (W_UK_h.T @ W_Q_h).flip(0)

def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h / (-2)
