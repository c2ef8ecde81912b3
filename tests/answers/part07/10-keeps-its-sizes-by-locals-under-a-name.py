class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        sizes = locals().copy()
        super().__init__()
        sizes.pop("self")
        sizes.pop("__class__", None)
        self.__dict__.update(sizes)
        self.n_rep = H // G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (self.n_rep, self.G, self.D_qk))  # [B, L_1, H//G, G, D_qk]
        k = self.W_K(y).unflatten(-1, (self.G, self.D_qk))  # [B, L_2, G, D_qk]
        v = self.W_V(y).unflatten(-1, (self.G, self.D_v))  # [B, L_2, G, D_v]
        scores = torch.einsum("binge,bjge->bngij", q, k) * self.D_qk**-0.5  # [B, H//G, G, L_1, L_2]
        weights = scores.softmax(-1, dtype=torch.float64).type_as(v)  # [B, H//G, G, L_1, L_2]
        heads = torch.einsum("bngij,bjge->binge", weights, v)  # [B, L_1, H//G, G, D_v]
        return self.W_O(heads.flatten(2))  # [B, L_1, D_1]
