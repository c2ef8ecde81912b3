d_q = d_k = D_qk
d_x, d_y = D_1, D_2

shape_W_Q_h = (d_q, d_x)
shape_W_K_h = (d_k, d_y)
shape_W_V_h = (D_v, d_y)
