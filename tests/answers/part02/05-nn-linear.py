def project(weight, token):
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight = nn.Parameter(weight)
    return layer(token)

def q_from_x(W_Q, x):
    return project(W_Q, x)

def m_from_y(W_M, y):
    return project(W_M, y)

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
