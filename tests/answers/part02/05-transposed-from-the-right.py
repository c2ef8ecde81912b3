def q_from_x(W_Q, x):
    q = x @ W_Q.T
    return q

def m_from_y(W_M, y):
    m = y @ W_M.transpose(0, 1)
    return m

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
