shape_W_Q, shape_W_K, shape_W_V = (H * D_qk, D_1), (H * D_qk, D_2), (H * D_v, D_2)
shape_q = shape_k = (H * D_qk,)
shape_v = (H * D_v,)


def q_from_x(W_Q, x):
    return W_Q @ x.float()


m_from_y = q_from_x
