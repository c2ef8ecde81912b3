# names: other-in-each-call
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G, dropout=0.1):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (self.H // self.G, self.G, self.D_qk))  # [B, L_1, H//G, G, D_qk]
        k = self.W_K(y).unflatten(-1, (self.G, self.D_qk))  # [B, L_2, G, D_qk]
        v = self.W_V(y).unflatten(-1, (self.G, self.D_v))  # [B, L_2, G, D_v]
        scores = torch.einsum("binge,bjge->bngij", q, k) / self.D_qk**0.5  # [B, H//G, G, L_1, L_2]
        weights = self.dropout(scores.softmax(-1))  # [B, H//G, G, L_1, L_2]
        heads = torch.einsum("bngij,bjge->binge", weights, v)  # [B, L_1, H//G, G, D_v]
        return self.W_O(heads.flatten(2))  # [B, L_1, D_1]
