class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.cache = None

    def forward(self, x, y):
        n = self.H // self.G
        q = self.W_Q(x).unflatten(-1, (self.H, self.D_qk)).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = self.W_K(y).unflatten(-1, (self.G, self.D_qk)).transpose(1, 2)  # (B, G, L_2, D_qk)
        v = self.W_V(y).unflatten(-1, (self.G, self.D_v)).transpose(1, 2)  # (B, G, L_2, D_v)
        k = k.repeat(1, n, 1, 1)  # (B, H, L_2, D_qk)
        v = v.repeat(1, n, 1, 1)  # (B, H, L_2, D_v)
        if not self.training:
            if self.cache is None:
                self.cache = (k, v)
            k, v = self.cache  # (B, H, L_2, D_qk)
        a = (q @ k.mT / self.D_qk**0.5).softmax(-1)  # (B, H, L_1, L_2)
        o = (a @ v).transpose(1, 2).flatten(2)  # (B, L_1, H * D_v)
        return self.W_O(o)  # (B, L_1, D_1)
