rows, columns = D_1, D_v
shape_o_h = (columns,)
shape_o = tuple(H * n for n in shape_o_h)
shape_W_O_h = (rows, columns)
shape_W_O = (shape_W_O_h[0], H * shape_W_O_h[1])
