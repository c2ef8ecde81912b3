shape_o_h = (H * D_v / H,)
shape_o = (H * D_v + D_1 - D_1,)
shape_W_O_h = (D_1, (H * D_v) / H)
shape_W_O = (D_1 * 1, (H + 1) * D_v - D_v)
