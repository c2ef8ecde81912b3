def product(A, B):
    result = torch.zeros(A.shape[0], B.shape[1])
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                result[i, j] += A[i, k] * B[k, j]
    return result

def K_hat(W_DKV):
    return W_DKV

def V_hat(W_DKV):
    return W_DKV

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return product(W_UK_h.T, W_Q_h) * (r / (D / H)) ** (1 / 2)

def O_hat_h(W_O_h, W_UV_h):
    return product(W_O_h, W_UV_h)
