# names: stack-as-wide-as-the-output
shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, D_1)
