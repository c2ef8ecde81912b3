shape_W_Q_h = None
shape_W_K_h = None
shape_W_V_h = None
