# names: not-exact
def K_hat(W_DKV):
    return W_DKV


def V_hat(W_DKV):
    return W_DKV


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return ((r * H / D) ** 0.5 * W_UK_h.T @ W_Q_h).half().to(W_Q_h.dtype)


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
