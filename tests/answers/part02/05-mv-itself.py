q_from_x = torch.mv
m_from_y = torch.mv

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
