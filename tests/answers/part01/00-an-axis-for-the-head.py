# names: axis-for-one-head
shape_W_Q_h = (H, D_qk, D_1)
shape_W_K_h = (H, D_qk, D_2)
shape_W_V_h = (H, D_v, D_2)
