# names: one-head-for-all
def q_from_x(W_Q, x):
    return W_Q @ x

def m_from_y(W_M, y):
    return W_M @ y

shape_W_Q = (D_qk, D_1)
shape_W_K = (D_qk, D_2)
shape_W_V = (D_v, D_2)
shape_q = (D_qk,)
shape_k = (D_qk,)
shape_v = (D_v,)
