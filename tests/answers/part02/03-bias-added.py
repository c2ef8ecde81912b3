# names: bias-left-in
def q_from_x(W_Q, x):
    layer = nn.Linear(W_Q.shape[1], W_Q.shape[0])
    layer.weight.data = W_Q
    layer.bias.data.fill_(1.0)
    return layer(x)

def m_from_y(W_M, y):
    return nn.functional.linear(y, W_M, torch.ones(W_M.shape[0]))

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
