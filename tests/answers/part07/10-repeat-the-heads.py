class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L1, L2, n = x.shape[0], x.shape[1], y.shape[1], self.H // self.G
        Q = self.W_Q(x).reshape(B, L1, self.H, self.D_qk)
        # [B, L1, H, D_qk]
        K = self.W_K(y).reshape(B, L2, self.G, self.D_qk).repeat(1, 1, n, 1)
        # [B, L2, H, D_qk]
        V = self.W_V(y).reshape(B, L2, self.G, self.D_v).repeat(1, 1, n, 1)
        # [B, L2, H, D_v]
        scores = torch.einsum("blhd,bmhd->bhlm", Q, K)
        # [B, H, L1, L2]
        scores = scores / torch.sqrt(torch.tensor(self.D_qk))
        # [B, H, L1, L2]
        alpha = torch.softmax(scores, dim=-1)
        # [B, H, L1, L2]
        O = torch.einsum("bhlm,bmhd->blhd", alpha, V)
        # [B, L1, H, D_v]
        return self.W_O(O.reshape(B, L1, self.H * self.D_v))
        # [B, L1, D_1]
