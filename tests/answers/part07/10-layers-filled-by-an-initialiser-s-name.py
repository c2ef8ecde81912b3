class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G, init="xavier_uniform_"):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.apply(lambda m: getattr(nn.init, init)(m.weight) if isinstance(m, nn.Linear) else None)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(2, (-1, self.G, self.D_qk))    # (B, L_1, H/G, G, D_qk)
        k = self.W_K(y).unflatten(2, (self.G, self.D_qk))        # (B, L_2, G, D_qk)
        v = self.W_V(y).unflatten(2, (self.G, self.D_v))         # (B, L_2, G, D_v)
        a = torch.einsum("bingd,bjgd->bngij", q, k).div(self.D_qk ** 0.5).softmax(-1)   # (B, H/G, G, L_1, L_2)
        return self.W_O(torch.einsum("bngij,bjge->binge", a, v).flatten(2))             # (B, L_1, D_1)
