# names: axis-of-one
shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (1, D_1, D_v)
shape_W_O = (D_1, H * D_v)
