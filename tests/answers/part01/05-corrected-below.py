shape_W_Q_h = (D_1, D_qk)
shape_W_K_h = (D_2, D_qk)
shape_W_V_h = (D_2, D_v)

# no: the matrix stands on the left, so the other way round
shape_W_Q_h = shape_W_Q_h[::-1]
shape_W_K_h = shape_W_K_h[::-1]
shape_W_V_h = shape_W_V_h[::-1]
