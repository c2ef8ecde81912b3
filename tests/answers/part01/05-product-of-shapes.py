# (rows, inner) @ (inner, 1) = (rows, 1)
x_shape, y_shape = (D_1, 1), (D_2, 1)
q_shape = k_shape = (D_qk, 1)
v_shape = (D_v, 1)

def matrix_between(out, inp):
    return (out[0], inp[0])

shape_W_Q_h = matrix_between(q_shape, x_shape)
shape_W_K_h = matrix_between(k_shape, y_shape)
shape_W_V_h = matrix_between(v_shape, y_shape)
