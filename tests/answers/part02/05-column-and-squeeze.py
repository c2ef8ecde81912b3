def q_from_x(W_Q, x):
    column = x.unsqueeze(1)                 # (D_1, 1)
    return (W_Q @ column).squeeze(1)

def m_from_y(W_M, y):
    column = y.view(-1, 1)                  # (D_2, 1)
    return (W_M @ column).flatten()

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
