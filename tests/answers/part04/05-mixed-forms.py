W_O_h = dict(rows=D_1, columns=D_v)
shape_o_h = [D_v, 1]
shape_o = (D_v * H,)
shape_W_O_h = tuple(W_O_h.values())
shape_W_O = [W_O_h["rows"], sum([H * W_O_h["columns"]])]
