class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(H * D_qk, D_1, bias=False)
        self.W_K = nn.Linear(H * D_qk, D_2, bias=False)
        self.W_V = nn.Linear(H * D_v, D_2, bias=False)
        self.W_O = nn.Linear(D_1, H * D_v, bias=False)

    def forward(self, x, y):
        q = (x @ self.W_Q.weight).unflatten(-1, (self.H, self.D_qk))   # (B, L_1, H, D_qk)
        k = (y @ self.W_K.weight).unflatten(-1, (self.H, self.D_qk))   # (B, L_2, H, D_qk)
        v = (y @ self.W_V.weight).unflatten(-1, (self.H, self.D_v))    # (B, L_2, H, D_v)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / self.D_qk ** 0.5   # (B, H, L_1, L_2)
        o = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)          # (B, L_1, H, D_v)
        return o.flatten(2) @ self.W_O.weight                          # (B, L_1, D_1)
