# names: every-position-at-once
L_1 = symbols("L_1")
shape_o_h = (L_1, D_v)
shape_o = (L_1, H * D_v)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, H * D_v)
