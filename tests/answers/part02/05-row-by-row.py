def q_from_x(W_Q, x):
    numbers = []
    for row in W_Q:
        numbers.append(torch.dot(row, x))
    return torch.stack(numbers)

def m_from_y(W_M, y):
    rows, columns = W_M.shape
    m = torch.zeros(rows)
    for i in range(rows):
        for j in range(columns):
            m[i] += W_M[i, j] * y[j]
    return m

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
