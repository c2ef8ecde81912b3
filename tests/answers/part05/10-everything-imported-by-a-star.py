from torch import *
from torch.nn import *
from torch.nn.functional import softmax


class MyMHA(Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = Linear(D_1, H * D_qk, bias=False)
        self.W_K = Linear(D_2, H * D_qk, bias=False)
        self.W_V = Linear(D_2, H * D_v, bias=False)
        self.W_O = Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = self.W_K(y).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = self.W_V(y).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_v)
        a = softmax(matmul(q, k.mT) / sqrt(tensor(self.D_qk)), -1)  # (B, H, L_1, L_2)
        return self.W_O(matmul(a, v).transpose(1, 2).flatten(2))  # (B, L_1, D_1)
