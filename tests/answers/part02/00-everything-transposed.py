# names: axis-of-one, matrix-transposed
def q_from_x(W_Q, x):
    return W_Q.T @ x

def m_from_y(W_M, y):
    return W_M.T @ y

shape_W_Q = (D_1, H * D_qk)
shape_W_K = (D_2, H * D_qk)
shape_W_V = (D_2, H * D_v)
shape_q = (1, H * D_qk)
shape_k = (1, H * D_qk)
shape_v = (1, H * D_v)
