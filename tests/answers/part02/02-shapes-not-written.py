def q_from_x(W_Q, x):
    return W_Q @ x

def m_from_y(W_M, y):
    return W_M @ y

# Six names, in symbols: shape_W_Q, shape_W_K, shape_W_V, shape_q, shape_k, shape_v
# YOUR CODE HERE
raise NotImplementedError()
