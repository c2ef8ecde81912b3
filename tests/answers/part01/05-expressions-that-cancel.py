shape_W_Q_h = ((D_qk + 1) - 1, 2 * D_1 - D_1)
shape_W_K_h = ((D_qk**2 - D_qk) / (D_qk - 1), D_2)
shape_W_V_h = (D_v, (D_2 + H)**2 / (D_2 + H) - H)
