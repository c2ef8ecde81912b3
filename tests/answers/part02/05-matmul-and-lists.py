def q_from_x(W_Q, x):
    """The queries of all heads at one position."""
    return torch.matmul(W_Q, x)

def m_from_y(W_M, y):
    return torch.matmul(W_M, y)

shape_W_Q = [D_qk * H, D_1]
shape_W_K = [D_qk * H, D_2]
shape_W_V = [D_v * H, D_2]
shape_q = [D_qk * H]
shape_k = [D_qk * H]
shape_v = [D_v * H]
