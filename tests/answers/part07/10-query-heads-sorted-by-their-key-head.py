class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        # put the query heads that share a head next to each other, then pair neighbours, then go back
        B, L_1, L_2, r = x.shape[0], x.shape[1], y.shape[1], self.H // self.G
        order = torch.argsort(torch.arange(self.H) % self.G, stable=True)     # (H,)
        back = torch.argsort(order)                                           # (H,)
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk)[:, :, order]          # (B, L_1, H, D_qk)
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk).repeat_interleave(r, dim=2)   # (B, L_2, H, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v).repeat_interleave(r, dim=2)    # (B, L_2, H, D_v)
        a = torch.einsum("blhd,bmhd->bhlm", q, k).div(self.D_qk ** 0.5).softmax(-1)   # (B, H, L_1, L_2)
        o = torch.einsum("bhlm,bmhd->blhd", a, v)[:, :, back]                 # (B, L_1, H, D_v)
        return self.W_O(o.reshape(B, L_1, self.H * self.D_v))                 # (B, L_1, D_1)
