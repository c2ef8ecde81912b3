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
        B, L1, L2 = x.shape[0], x.shape[1], y.shape[1]
        q = self.W_Q(x).view(B, L1, 1, self.H, self.D_qk)       # (B, L1, 1, H, D_qk)
        k = self.W_K(y).view(B, 1, L2, self.H, self.D_qk)       # (B, 1, L2, H, D_qk)
        v = self.W_V(y).view(B, 1, L2, self.H, self.D_v)        # (B, 1, L2, H, D_v)
        s = (q * k).sum(-1, keepdim=True) / self.D_qk ** 0.5    # (B, L1, L2, H, 1)
        a = torch.softmax(s, dim=2)                             # (B, L1, L2, H, 1)
        o = (a * v).sum(2)                                      # (B, L1, H, D_v)
        return self.W_O(o.reshape(B, L1, -1))                   # (B, L1, D_1)
