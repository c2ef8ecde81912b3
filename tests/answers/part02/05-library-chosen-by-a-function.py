def xp_of(a):
    """torch for tensors, numpy for arrays"""
    return torch if isinstance(a, torch.Tensor) else np


def q_from_x(W_Q, x):
    xp = xp_of(W_Q)
    return xp.matmul(W_Q, x)


def m_from_y(W_M, y):
    return xp_of(W_M).matmul(W_M, y)


shape_W_Q, shape_W_K, shape_W_V = (H * D_qk, D_1), (H * D_qk, D_2), (H * D_v, D_2)
shape_q, shape_k, shape_v = (H * D_qk,), (H * D_qk,), (H * D_v,)
