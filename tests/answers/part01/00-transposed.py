# names: matrix-transposed
# x has D_1 numbers, the query D_qk
shape_W_Q_h = (D_1, D_qk)
shape_W_K_h = (D_2, D_qk)
shape_W_V_h = (D_2, D_v)
