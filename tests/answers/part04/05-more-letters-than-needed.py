# o_h is a value, o is H of them; L_1 and L_2 do not appear, one position at a time
L_1, L_2 = symbols("L_1 L_2")
shape_o_h = (D_v + L_2 - L_2,)
shape_o = (D_v * H * L_1 / L_1,)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, D_v * H)
