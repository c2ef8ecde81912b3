class Attention(nn.Module):
    """Everything but the projections."""

    def heads(self, t, D):
        return t.view(t.size(0), t.size(1), self.H, D).transpose(1, 2)

    def forward(self, x, y):
        Q = self.heads(self.W_Q(x), self.D_qk)                   # (B, H, L_1, D_qk)
        K = self.heads(self.W_K(y), self.D_qk)                   # (B, H, L_2, D_qk)
        V = self.heads(self.W_V(y), self.D_v)                    # (B, H, L_2, D_v)
        A = torch.softmax(Q @ K.mT / self.D_qk ** 0.5, dim=-1)   # (B, H, L_1, L_2)
        O = (A @ V).transpose(1, 2).flatten(2)                   # (B, L_1, H D_v)
        return self.W_O(O)                                       # (B, L_1, D_1)


class MyMHA(Attention):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
