def q_from_x(W_Q, x):
    return nn.Parameter(W_Q) @ x

def m_from_y(W_M, y):
    return torch.addmv(torch.zeros(W_M.shape[0]), W_M, y)

shape_W_Q = tuple(D * n for D, n in zip((D_qk, D_1), (H, 1)))
shape_W_K = tuple(D * n for D, n in zip((D_qk, D_2), (H, 1)))
shape_W_V = tuple(D * n for D, n in zip((D_v, D_2), (H, 1)))
shape_q, shape_k, shape_v = (D_qk * H, 1), [D_qk * H, 1], (D_v * H,)
