def GQA_2_MLA(W):
    r, D = W.shape
    W_tilde = np.kron(np.ones((D // r, 1)), W)
    Q, R = np.linalg.qr(W.T)              # W.T = Q R
    down = Q.T
    up = W_tilde @ Q
    print(f'{up.shape=} {down.shape=}')
    mse = np.average(np.abs(W_tilde - np.dot(up, down)) ** 2)
    print(f'{mse=:.2e}')
    return down, up

GQA_2_MLA(np.random.randn(4, 24));
