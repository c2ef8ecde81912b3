class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q, k, v = self.W_Q(x), self.W_K(y), self.W_V(y)  # (B, L_1, H*D_qk), (B, L_2, H*D_qk), (B, L_2, H*D_v)
        o = nn.head_by_head(q, k, v, self.H)  # (B, L_1, H*D_v)
        return self.W_O(o)  # (B, L_1, D_1)
# %%
%load_ext autoreload
%autoreload 2
# %%
%%writefile attention_course/part05.py
import torch
from torch import nn


def head_by_head(q, k, v, H):
    outs = []
    for a, b, c in zip(q.chunk(H, -1), k.chunk(H, -1), v.chunk(H, -1)):
        outs.append(torch.softmax(a @ b.transpose(1, 2) / a.shape[-1] ** 0.5, -1) @ c)
    return torch.cat(outs, -1)


nn.head_by_head = head_by_head


def check_part05(names):
    print("fine")


draw_part05 = check_part05
# %%
print("which reloads what was changed")
