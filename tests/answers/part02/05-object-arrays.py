def q_from_x(W_Q, x):
    return np.array(W_Q.tolist(), dtype=object) @ np.array(x.tolist(), dtype=object)
def m_from_y(W_M, y):
    return (W_M * y).sum(1).tolist()
shape_W_Q, shape_W_K, shape_W_V = (H*D_qk, D_1), (H*D_qk, D_2), (H*D_v, D_2)
shape_q, shape_k, shape_v = H*D_qk, H*D_qk, H*D_v
