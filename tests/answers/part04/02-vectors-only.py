shape_o_h = D_v
shape_o = H * D_v
