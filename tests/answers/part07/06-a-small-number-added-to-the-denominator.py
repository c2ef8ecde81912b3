class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (self.H // self.G, self.G, -1))  # (B, L_1, N, G, D_qk)
        k = self.W_K(y).unflatten(-1, (self.G, -1))  # (B, L_2, G, D_qk)
        v = self.W_V(y).unflatten(-1, (self.G, -1))  # (B, L_2, G, D_v)
        s = torch.einsum("blngd,bmgd->bnglm", q, k) / self.D_qk**0.5  # (B, N, G, L_1, L_2)
        e = s.exp(); a = e / (e.sum(-1, keepdim=True) + 1e-12)  # (B, N, G, L_1, L_2)
        o = torch.einsum("bnglm,bmgd->blngd", a, v)  # (B, L_1, N, G, D_v)
        return self.W_O(o.flatten(2))  # (B, L_1, D_1)
