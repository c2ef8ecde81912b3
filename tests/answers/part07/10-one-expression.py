class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        return self.W_O(torch.einsum('bhlm,bmhv->blhv', torch.softmax(torch.einsum('blhd,bmhd->bhlm',
            self.W_Q(x).unflatten(2, (self.H, -1)),
            self.W_K(y).unflatten(2, (self.G, -1)).tile(1, 1, self.H // self.G, 1)) / self.D_qk ** 0.5, -1),
            self.W_V(y).unflatten(2, (self.G, -1)).tile(1, 1, self.H // self.G, 1)).flatten(2))
        # shape: (B, L_1, D_1)
