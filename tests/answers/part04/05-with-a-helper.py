def matrix(to, of):
    """a matrix that takes a vector of `of` numbers to one of `to` numbers"""
    return [to, of]

shape_o_h, shape_o = D_v, H * D_v
shape_W_O_h, shape_W_O = matrix(D_1, D_v), matrix(D_1, H * D_v)
print(shape_o_h, shape_o, shape_W_O_h, shape_W_O)
