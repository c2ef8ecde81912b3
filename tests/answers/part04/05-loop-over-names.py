for name, shape in zip(("o_h", "o", "W_O_h", "W_O"), ((D_v,), (H*D_v,), (D_1, D_v), (D_1, H*D_v))):
    vars()["shape_" + name] = shape
