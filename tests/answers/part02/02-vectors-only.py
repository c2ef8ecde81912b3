def q_from_x(W_Q, x):
    raise NotImplementedError()

shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
