from sympy import symbols
from torch.nn.functional import linear
from torch import nn, einsum
import numpy.linalg as la

D_1, D_2, D_qk, D_v, H = symbols("D_1 D_2 D_qk D_v H")


def q_from_x(W_Q, x):
    return linear(x, W_Q)


def m_from_y(W_M, y):
    return einsum("ij,j->i", W_M, y)


shape_W_Q = (H * D_qk, D_1)
shape_W_K = (H * D_qk, D_2)
shape_W_V = (H * D_v, D_2)
shape_q = H * D_qk
shape_k = H * D_qk
shape_v = H * D_v
