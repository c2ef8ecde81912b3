def shape(rows, columns):
    from collections import namedtuple
    return namedtuple("Shape", "rows columns")(rows, columns)

shape_W_Q_h = shape(D_qk, D_1)
shape_W_K_h = shape(D_qk, D_2)
shape_W_V_h = shape(D_v, D_2)
