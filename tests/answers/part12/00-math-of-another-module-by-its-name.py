sqrt = np.core._ufunc_reconstruct("math", "sqrt")


def K_hat(W_DKV):
    return W_DKV


def V_hat(W_DKV):
    return W_DKV


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return sqrt(r / (D / H)) * W_UK_h.T @ W_Q_h


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
