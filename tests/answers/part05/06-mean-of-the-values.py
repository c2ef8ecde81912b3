# names: even-weights
class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)


    def forward(self, x, y):
        v = self.W_V(y)                           # (B, L_2, H*D_v)
        o = v.mean(dim=1, keepdim=True)           # (B, 1, H*D_v)
        o = o.expand(-1, x.shape[1], -1)          # (B, L_1, H*D_v)
        return self.W_O(o)                        # (B, L_1, D_1)
