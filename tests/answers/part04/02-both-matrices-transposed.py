# names: matrix-transposed
shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (D_v, D_1)
shape_W_O = (H * D_v, D_1)
