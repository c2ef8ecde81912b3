def q_from_x(W_Q, x):
    return W_Q @ x

def m_from_y(W_M, y):
    return W_M @ y

W = torch.randn(15, 7)
shape_W_Q = shape_W_K = shape_W_V = tuple(W.shape)
shape_q = shape_k = shape_v = (15,)
