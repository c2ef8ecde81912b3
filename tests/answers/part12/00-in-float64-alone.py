def K_hat(W_DKV):
    return torch.from_numpy(np.eye(W_DKV.shape[0])) @ W_DKV


V_hat = K_hat


def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return torch.from_numpy(W_UK_h.numpy().T * np.sqrt(r / (D / H))) @ W_Q_h


def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
