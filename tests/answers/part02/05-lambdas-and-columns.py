q_from_x = lambda W, t: (W * t).sum(dim=-1)
m_from_y = lambda W, t: (W * t).sum(dim=-1)

d_qk_total, d_v_total = H * D_qk, H * D_v
shape_W_Q = (d_qk_total, D_1)
shape_W_K = (d_qk_total, D_2)
shape_W_V = (d_v_total, D_2)
shape_q, shape_k, shape_v = (d_qk_total, 1), (d_qk_total, 1), (d_v_total, 1)
