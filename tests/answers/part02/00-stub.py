def q_from_x(W_Q, x):
    """The queries of all heads at one position."""
    # YOUR CODE HERE
    raise NotImplementedError()


def m_from_y(W_M, y):
    # YOUR CODE HERE
    raise NotImplementedError()


# Six names, in symbols: shape_W_Q, shape_W_K, shape_W_V, shape_q, shape_k, shape_v
# YOUR CODE HERE
raise NotImplementedError()
