# names: one-head-for-all
shape_o_h = (D_v,)
shape_o = (D_v,)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, H * D_v)
