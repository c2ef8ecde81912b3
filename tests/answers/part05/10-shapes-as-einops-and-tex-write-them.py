class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x)  # (b, l_1, (h d))
        k = self.W_K(y)  # (b, l_2, (h d))
        v = self.W_V(y)  # (b, l_2, (h d_v))
        q, k, v = (
            q.unflatten(-1, (self.H, -1)),
            k.unflatten(-1, (self.H, -1)),
            v.unflatten(-1, (self.H, -1)),
        )
        scores = torch.einsum("blhd,bmhd->bhlm", q, k) / self.D_qk**0.5  # $B \times H \times L_1 \times L_2$
        alpha = torch.softmax(scores, dim=-1)  # $B \times H \times L_1 \times L_2$
        o = torch.einsum("bhlm,bmhv->blhv", alpha, v)
        return self.W_O(o.flatten(2))
