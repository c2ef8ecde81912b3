# all heads divided by the number of heads
shape_W_Q_h = (H * D_qk / H, D_1)
shape_W_K_h = (H * D_qk / H, D_2)
shape_W_V_h = (H * D_v / H, D_2)
