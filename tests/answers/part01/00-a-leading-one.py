# names: axis-of-one
shape_W_Q_h = (1, D_qk, D_1)
shape_W_K_h = (1, D_qk, D_2)
shape_W_V_h = (1, D_v, D_2)
