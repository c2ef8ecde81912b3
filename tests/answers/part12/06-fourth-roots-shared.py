def K_hat(W_DKV):
    return W_DKV * W_DKV.shape[0] ** 0.25


def V_hat(W_DKV):
    return W_DKV


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return W_UK_h.transpose(0, 1) @ W_Q_h * r**0.25 / (D // H) ** 0.5


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
