import torch
from torch import nn
import numpy as np

def softmax_over_positions(t):
    t = torch.exp(t - torch.amax(t, -1, True))
    return t / t.sum(-1, True)

class MyGQA(nn.Module):
    """GQA with heads paired by h mod G."""

    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super(MyGQA, self).__init__()
        assert H % G == 0, "G has to be a factor of H"
        vars(self).update(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v, H=H, G=G)
        self.W_Q, self.W_O = nn.Linear(D_1, H * D_qk, False), nn.Linear(H * D_v, D_1, False)
        self.W_K, self.W_V = nn.Linear(D_2, G * D_qk, False), nn.Linear(D_2, G * D_v, False)
        nn.init.xavier_uniform_(self.W_K.weight)

    def heads(self, t, n):
        """(B, L, n*D) to (B, n, L, D)"""
        return t.reshape(t.shape[0], t.shape[1], n, -1).swapaxes(1, 2)

    def forward(self, x, y):
        q, k, v = self.W_Q(x), self.W_K(y), self.W_V(y)             # (B, L_1, H*D_qk), (B, L_2, G*D_qk), (B, L_2, G*D_v)
        q = self.heads(q, self.H)                                   # (B, H, L_1, D_qk)
        k = self.heads(k, self.G).repeat(1, self.H // self.G, 1, 1) # (B, H, L_2, D_qk)
        v = self.heads(v, self.G).repeat(1, self.H // self.G, 1, 1) # (B, H, L_2, D_v)
        self.alpha = softmax_over_positions(q @ k.swapaxes(2, 3) / self.D_qk ** 0.5)   # (B, H, L_1, L_2)
        out = (self.alpha @ v).swapaxes(1, 2).flatten(2)            # (B, L_1, H*D_v)
        return self.W_O(out)                                        # (B, L_1, D_1)

for G in (1, 2, 3, 6):
    net = MyGQA(8, 7, 4, 5, 6, G)
    print(G, net(torch.randn(2, 3, 8), torch.randn(2, 9, 7)).shape, sum(p.numel() for p in net.parameters()))
print([name for name, _ in net.named_parameters()])
net(torch.randn(2, 3, 9), torch.randn(2, 9, 7))    # must not work: 9 is not D_1
