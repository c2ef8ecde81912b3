# names: matrix-transposed
def q_from_x(W_Q, x):
    return W_Q @ x

def m_from_y(W_M, y):
    return W_M @ y

shape_W_Q = (D_1, H * D_qk)
shape_W_K = (D_2, H * D_qk)
shape_W_V = (D_2, H * D_v)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
