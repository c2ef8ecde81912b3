shape_W_Q_h, shape_W_K_h, shape_W_V_h = (D_qk, D_1), (D_qk, D_2), (D_v, D_2)
