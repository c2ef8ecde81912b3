def q_from_x(W_Q, x):
    W_Q, x = torch.tensor(W_Q), torch.tensor(x)     # torch warns: clone().detach() is recommended
    return W_Q @ x

def m_from_y(W_M, y):
    print("W_M", W_M.shape, "y", y.shape)
    return torch.tensor(W_M) @ torch.tensor(y)

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
