# names: width-shared-out
shape_W_Q_h = (D_qk / H, D_1)
shape_W_K_h = (D_qk / H, D_2)
shape_W_V_h = (D_v / H, D_2)
