def K_hat(W_DKV):
    r = W_DKV.shape[0]
    return torch.eye(r).to(W_DKV) @ W_DKV

V_hat = K_hat

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    # column j of the result is q_hat of the j-th unit vector
    columns = [W_UK_h.T @ (W_Q_h @ e) for e in torch.eye(D).to(W_Q_h)]
    return torch.stack(columns, dim=1) * np.sqrt(r * H / D)

def O_hat_h(W_O_h, W_UV_h):
    return torch.matmul(W_O_h, W_UV_h)
