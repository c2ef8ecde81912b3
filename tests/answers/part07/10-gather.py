class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, _ = x.shape
        L_2 = y.shape[1]
        idx = (torch.arange(self.H, device=y.device) % self.G).view(1, 1, self.H, 1)  # (1, 1, H, 1)
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk)  # (B, L_1, H, D_qk)
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk)  # (B, L_2, G, D_qk)
        k = torch.gather(k, 2, idx.expand(B, L_2, -1, self.D_qk))  # (B, L_2, H, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v)  # (B, L_2, G, D_v)
        v = torch.take_along_dim(v, idx, dim=2)  # (B, L_2, H, D_v)
        alpha = torch.einsum("bihd,bjhd->bhij", q, k).div(self.D_qk ** 0.5).softmax(3)  # (B, H, L_1, L_2)
        o = torch.einsum("bhij,bjhd->bihd", alpha, v)  # (B, L_1, H, D_v)
        return self.W_O(o.reshape(B, L_1, -1))  # (B, L_1, D_1)
