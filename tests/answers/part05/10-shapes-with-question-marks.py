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
        q = self.W_Q(x)  # (B, ?, H*D_qk)
        k = self.W_K(y)  # (B, ?, H*D_qk)
        v = self.W_V(y)  # (B, ?, H*D_v)
        q = q.view(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, ?, D_qk)
        k = k.view(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, ?, D_qk)
        v = v.view(B, -1, self.H, self.D_v).transpose(1, 2)  # (B, H, ?, D_v)
        s = q @ k.mT / self.D_qk**0.5  # (B, H, ?, ?)
        a = s.softmax(-1)  # (B, H, ?, ?)
        o = (a @ v).transpose(1, 2)  # (B, ?, H, D_v)
        return self.W_O(o.flatten(2))  # (B, ?, D_1)
