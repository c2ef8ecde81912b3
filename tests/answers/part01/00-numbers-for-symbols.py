shape_W_Q_h = (64, 512)
shape_W_K_h = (64, 256)
shape_W_V_h = (64, 256)
