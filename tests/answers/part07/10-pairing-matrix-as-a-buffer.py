class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        pairing = torch.arange(H)[:, None] % G == torch.arange(G)
        self.register_buffer("pairing", pairing.to(self.W_Q.weight.dtype))     # (H, G), ones and zeros
        self.register_buffer("A", torch.eye(G * D_v).repeat(H // G, 1), persistent=False)
        self.scale = nn.Parameter(torch.tensor(float(D_qk)).rsqrt(), requires_grad=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(2, (self.H, self.D_qk))                      # (B, L_1, H, D_qk)
        k = self.W_K(y).unflatten(2, (self.G, self.D_qk))                      # (B, L_2, G, D_qk)
        v = (self.W_V(y) @ self.A.T).unflatten(2, (self.H, self.D_v))          # (B, L_2, H, D_v)
        logits = torch.einsum("blhd,bmgd,hg->bhlm", q, k, self.pairing)        # (B, H, L_1, L_2)
        alpha = (logits * self.scale).softmax(-1)                              # (B, H, L_1, L_2)
        return self.W_O(torch.einsum("bhlm,bmhd->blhd", alpha, v).flatten(2))  # (B, L_1, D_1)
