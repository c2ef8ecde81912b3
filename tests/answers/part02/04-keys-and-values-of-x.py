# names: keys-from-x
def q_from_x(W_Q, x):
    return W_Q @ x

def m_from_y(W_M, y):
    return W_M @ y

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_1)
shape_W_V = (H * D_v, D_1)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
