class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.d_1, self.d_2, self.d_qk, self.d_v, self.h, self.g = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, L_2 = x.shape[0], x.shape[1], y.shape[1]
        q = self.W_Q(x).view(B, L_1, self.h, self.d_qk)  # (B, L_1, H, D_qk)
        k = self.W_K(y).view(B, L_2, self.g, self.d_qk)[:, :, torch.arange(self.h) % self.g]  # (B, L_2, H, D_qk)
        v = self.W_V(y).view(B, L_2, self.g, self.d_v)[:, :, torch.arange(self.h) % self.g]  # (B, L_2, H, D_v)
        alpha = torch.softmax(torch.einsum("bihd,bjhd->bhij", q, k) / self.d_qk ** 0.5, -1)  # (B, H, L_1, L_2)
        o = torch.einsum("bhij,bjhd->bihd", alpha, v)  # (B, L_1, H, D_v)
        return self.W_O(o.reshape(B, L_1, -1))  # (B, L_1, D_1)
