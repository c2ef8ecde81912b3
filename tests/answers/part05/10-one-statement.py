class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)


    def forward(self, x, y):
        # everything at once: (B, L_1, D_1)
        return self.W_O(torch.einsum(
            "bhij,bjhd->bihd",
            torch.softmax(torch.einsum(
                "bihd,bjhd->bhij",
                self.W_Q(x).unflatten(2, (self.H, self.D_qk)),
                self.W_K(y).unflatten(2, (self.H, self.D_qk)),
            ) / self.D_qk ** 0.5, dim=-1),
            self.W_V(y).unflatten(2, (self.H, self.D_v)),
        ).flatten(2))
