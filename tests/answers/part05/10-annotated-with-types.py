import torch
from torch import nn, Tensor
import torch.nn.functional as F
from torch.jit.annotations import Optional


class MyMHA(nn.Module):
    D_1: int
    H: int

    def __init__(self, D_1: int, D_2: int, D_qk: int, D_v: int, H: int) -> None:
        super().__init__()
        self.D_1: int = D_1
        self.D_2: int = D_2
        self.D_qk: int = D_qk
        self.D_v: int = D_v
        self.H: int = H
        self.W_Q: nn.Linear = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K: nn.Linear = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V: nn.Linear = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O: nn.Linear = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        B: int
        L_1: int
        B, L_1, _ = x.shape
        q: Tensor = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k: Tensor = self.W_K(y).view(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v: Tensor = self.W_V(y).view(B, -1, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        s: Tensor = F.softmax(q @ k.transpose(-2, -1) / self.D_qk ** 0.5, dim=-1)  # (B, H, L_1, L_2)
        o: Tensor = (s @ v).transpose(1, 2).reshape(B, L_1, -1)  # (B, L_1, H*D_v)
        return self.W_O(o)  # (B, L_1, D_1)
