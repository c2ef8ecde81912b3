class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Parameter(torch.randn(H * D_qk, D_1))
        self.W_K = nn.Parameter(torch.randn(G * D_qk, D_2))
        self.W_V = nn.Parameter(torch.randn(G * D_v, D_2))
        self.W_O = nn.Parameter(torch.randn(D_1, H * D_v))

    def forward(self, x, y):
        q = (x @ self.W_Q.T).unflatten(2, (-1, self.G, self.D_qk))          # (B, L_1, H/G, G, D_qk)
        k = (y @ self.W_K.T).unflatten(2, (self.G, self.D_qk))              # (B, L_2, G, D_qk)
        v = (y @ self.W_V.T).unflatten(2, (self.G, self.D_v))               # (B, L_2, G, D_v)
        a = torch.einsum("blngd,bmgd->bnglm", q, k) / self.D_qk ** .5       # (B, H/G, G, L_1, L_2)
        o = torch.einsum("bnglm,bmgd->blngd", a.softmax(-1), v).flatten(2)  # (B, L_1, H*D_v)
        return o @ self.W_O.T                                               # (B, L_1, D_1)
