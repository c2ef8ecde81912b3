def shape(rows, columns):
    return (rows, columns)

def projected(W, t):
    return sum(W[:, j] * t[j] for j in range(len(t)))

sheet = projected
random = H * D_qk

def q_from_x(W_Q, x):
    return projected(W_Q, x)

def m_from_y(W_M, y):
    return sheet(W_M, y)

shape_W_Q, shape_W_K, shape_W_V = shape(random, D_1), shape(random, D_2), shape(H * D_v, D_2)
shape_q, shape_k, shape_v = random, random, H * D_v
