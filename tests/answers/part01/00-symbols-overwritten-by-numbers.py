D_1, D_2, D_qk, D_v, H = 5, 7, 3, 2, 4
shape_W_Q_h = (D_qk, D_1)
shape_W_K_h = (D_qk, D_2)
shape_W_V_h = (D_v, D_2)
