class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Parameter(torch.randn(H * D_qk, D_1))
        self.W_K = nn.Parameter(torch.randn(H * D_qk, D_2))
        self.W_V = nn.Parameter(torch.randn(H * D_v, D_2))
        self.W_O = nn.Parameter(torch.randn(D_1, H * D_v))

    def forward(self, x, y):
        q = (x @ self.W_Q.T).unflatten(-1, (self.H, self.D_qk)).transpose(1, 2)   # (B, H, L_1, D_qk)
        k = (y @ self.W_K.T).unflatten(-1, (self.H, self.D_qk)).transpose(1, 2)   # (B, H, L_2, D_qk)
        v = (y @ self.W_V.T).unflatten(-1, (self.H, self.D_v)).transpose(1, 2)    # (B, H, L_2, D_v)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, dim=-1)                    # (B, H, L_1, L_2)
        return (a @ v).transpose(1, 2).flatten(2) @ self.W_O.T                    # (B, L_1, D_1)
