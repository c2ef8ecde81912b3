def stacked(shape, heads=H):
    return (heads * shape[0],) + tuple(shape[1:])

def q_from_x(W_Q, x, ):
    return W_Q.matmul(x)

def m_from_y(W_M, y, name=None):
    return W_M.mv(y)

shape_W_Q = stacked((D_qk, D_1))
shape_W_K = stacked((D_qk, D_2))
shape_W_V = stacked((D_v, D_2))
shape_q, shape_k, shape_v = shape_W_Q[:1], shape_W_K[:1], shape_W_V[:1]
