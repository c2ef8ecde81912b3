def q_from_x(W_Q, x):
    return tuple(float(sum(w * u for w, u in zip(row, x))) for row in W_Q)


def m_from_y(W_M, y):
    return [np.float64(row @ y) for row in W_M]


shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
