import sympy
D_1, D_v, H = map(sympy.Symbol, ("D_1", "D_v", "H"))
shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, H * D_v)
