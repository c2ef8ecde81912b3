class MyMHA(nn.Module):
    """Keys and values are projected in one go: one matrix holds W_K above W_V."""

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.kv = nn.Parameter(torch.randn(H * (D_qk + D_v), D_2) / D_2 ** 0.5)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    @property
    def W_K(self):
        layer = nn.Linear(self.D_2, self.H * self.D_qk, bias=False)
        layer.weight = nn.Parameter(self.kv[: self.H * self.D_qk])   # shares its memory with kv
        return layer

    @property
    def W_V(self):
        layer = nn.Linear(self.D_2, self.H * self.D_v, bias=False)
        layer.weight = nn.Parameter(self.kv[self.H * self.D_qk :])
        return layer

    def forward(self, x, y):
        B, L_1, L_2 = len(x), x.shape[1], y.shape[1]
        kv = nn.functional.linear(y, self.kv)                                      # (B, L_2, H*D_qk + H*D_v)
        k, v = kv.split([self.H * self.D_qk, self.H * self.D_v], dim=-1)           # (B, L_2, H*D_qk), (B, L_2, H*D_v)
        q = self.W_Q(x).reshape(B, L_1, self.H, self.D_qk)                         # (B, L_1, H, D_qk)
        k = k.reshape(B, L_2, self.H, self.D_qk)                                   # (B, L_2, H, D_qk)
        v = v.reshape(B, L_2, self.H, self.D_v)                                    # (B, L_2, H, D_v)
        a = torch.einsum("blhd,bmhd->bhlm", q, k).div(self.D_qk ** 0.5).softmax(-1)  # (B, H, L_1, L_2)
        o = torch.einsum("bhlm,bmhd->blhd", a, v)                                  # (B, L_1, H, D_v)
        return self.W_O(o.flatten(-2))                                             # (B, L_1, D_1)
