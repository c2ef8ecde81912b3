# names: lengths-for-widths
L_1, L_2 = symbols("L_1 L_2")
shape_W_Q_h = (D_qk, L_1)
shape_W_K_h = (D_qk, L_2)
shape_W_V_h = (D_v, L_2)
