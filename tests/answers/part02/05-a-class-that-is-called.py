class Projection:
    """m = W t"""
    def __call__(self, W, t):
        return torch.tensordot(W, t, dims=1)

q_from_x = Projection()
m_from_y = Projection()

shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = (H * D_qk,)
shape_k = (H * D_qk,)
shape_v = (H * D_v,)
