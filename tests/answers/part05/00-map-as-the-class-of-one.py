class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def head(self, q, k, v):
        return torch.softmax(q @ k.mT / self.D_qk ** 0.5, dim=-1) @ v  # (B, L_1, D_v)

    def forward(self, x, y):
        q = self.W_Q(x).chunk(self.H, -1)  # (B, L_1, D_qk), H times
        k = self.W_K(y).chunk(self.H, -1)  # (B, L_2, D_qk), H times
        v = self.W_V(y).chunk(self.H, -1)  # (B, L_2, D_v), H times
        o = torch.cat([*M(self.head, q, k, v)], dim=-1)  # (B, L_1, H*D_v)
        return self.W_O(o)  # (B, L_1, D_1)
# %%
M = type(map(int, []))
