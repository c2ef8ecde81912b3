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


    def one_head(self, q, k, v):
        """q (B, L_1, D_qk), k (B, L_2, D_qk), v (B, L_2, D_v)"""
        s = torch.bmm(q, k.transpose(1, 2)) / self.D_qk ** 0.5  # (B, L_1, L_2)
        return torch.bmm(torch.softmax(s, -1), v)               # (B, L_1, D_v)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (self.H, self.D_qk))      # (B, L_1, H, D_qk)
        k = self.W_K(y).unflatten(-1, (self.H, self.D_qk))      # (B, L_2, H, D_qk)
        v = self.W_V(y).unflatten(-1, (self.H, self.D_v))       # (B, L_2, H, D_v)
        o = torch.vmap(self.one_head, in_dims=2, out_dims=2)(q, k, v)   # (B, L_1, H, D_v)
        return self.W_O(o.flatten(2))                           # (B, L_1, D_1)
