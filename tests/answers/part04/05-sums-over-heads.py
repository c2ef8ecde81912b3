shape_o_h = D_v
shape_o = (H - 1) * D_v + D_v
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, D_v * (H**2 - 1) / (H + 1) + D_v)
