o_h = (D_v,)
o = (H * D_v,)
W_O_h = (D_1, D_v)
W_O = (D_1, H * D_v)
