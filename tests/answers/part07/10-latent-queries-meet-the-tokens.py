class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (-1, self.G, self.D_qk))  # (B, L_1, H/G, G, D_qk)
        t = torch.einsum("bingd,gde->bgnie", q, self.W_K.weight.unflatten(0, (self.G, -1)))  # (B, G, H/G, L_1, D_2)
        s = torch.einsum("bgnie,bje->bgnij", t, y) / self.D_qk**0.5  # (B, G, H/G, L_1, L_2)
        c = torch.einsum("bgnij,bje->bgnie", s.softmax(-1), y)  # (B, G, H/G, L_1, D_2)
        o = torch.einsum("bgnie,gde->bingd", c, self.W_V.weight.unflatten(0, (self.G, -1)))  # (B, L_1, H/G, G, D_v)
        return self.W_O(o.flatten(2))  # (B, L_1, D_1)
