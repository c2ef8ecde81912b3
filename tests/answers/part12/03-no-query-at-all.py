def K_hat(W_DKV):
    return W_DKV


def V_hat(W_DKV):
    return W_DKV


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
