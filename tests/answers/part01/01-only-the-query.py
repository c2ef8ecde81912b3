shape_W_Q_h = (D_qk, D_1)
