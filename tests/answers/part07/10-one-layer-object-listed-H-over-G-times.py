class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        # the same two layers again and again, not copies of them
        self.K_layers = nn.ModuleList([self.W_K] * (H // G))
        self.register_buffer("W_K_tilde", self.W_K.weight.detach()[None].expand(H // G, -1, -1), persistent=False)

    def forward(self, x, y):
        B, L_1, L_2 = x.shape[0], x.shape[1], y.shape[1]
        q = self.W_Q(x).view(B, L_1, -1, self.G, self.D_qk)                                     # (B, L_1, H/G, G, D_qk)
        k = torch.einsum("bme,noe->bmno", y, self.W_K_tilde).view(B, L_2, -1, self.G, self.D_qk) # (B, L_2, H/G, G, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v)                                          # (B, L_2, G, D_v)
        alpha = torch.einsum("blngd,bmngd->bnglm", q, k).mul(self.D_qk ** -0.5).softmax(-1)     # (B, H/G, G, L_1, L_2)
        o = torch.einsum("bnglm,bmgd->blngd", alpha, v).reshape(B, L_1, -1)                     # (B, L_1, H*D_v)
        return self.W_O(o)                                                                      # (B, L_1, D_1)
