class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B = x.shape[0]
        q = self.W_Q(x)  # (B, L_1, H*D_qk)

        k = self.W_K(y)

        v = self.W_V(y)
        q = q.view(B, -1, self.H, self.D_qk).transpose(1, 2)
        k = k.view(B, -1, self.H, self.D_qk).transpose(1, 2)
        v = v.view(B, -1, self.H, self.D_v).transpose(1, 2)
        s = q @ k.transpose(2, 3)
        s = s / self.D_qk ** 0.5
        a = s.softmax(dim=-1)
        o = a @ v
        o = o.transpose(1, 2)
        o = o.flatten(2)

        return self.W_O(o)  # (B, L_1, D_1)
