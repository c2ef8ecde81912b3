# names: output-in-the-other-space
shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (D_2, D_v)
shape_W_O = (D_2, H * D_v)
