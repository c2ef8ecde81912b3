class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1; self.D_2 = D_2; self.D_qk = D_qk; self.D_v = D_v; self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, _ = x.shape
        _, L_2, _ = y.shape

        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk)     # (B, L_1, H, D_qk)

        k = self.W_K(y).view(B, L_2, self.H, self.D_qk)     # (B, L_2, H, D_qk)

        v = self.W_V(y).view(B, L_2, self.H, self.D_v)      # (B, L_2, H, D_v)

        s = torch.einsum("bihd,bjhd->bhij", q, k)           # (B, H, L_1, L_2)

        s = s / self.D_qk ** 0.5

        a = s.softmax(-1)

        o = torch.einsum("bhij,bjhd->bihd", a, v)

        return self.W_O(o.flatten(2))
