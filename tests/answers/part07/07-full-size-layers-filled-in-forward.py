# names: copies-kept
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.K_full = nn.Linear(D_2, H * D_qk, bias=False)
        self.V_full = nn.Linear(D_2, H * D_v, bias=False)

    def forward(self, x, y):
        n = self.H // self.G
        with torch.no_grad():
            self.K_full.weight.copy_(self.W_K.weight.repeat(n, 1))  # (H*D_qk, D_2)
            self.V_full.weight.copy_(self.W_V.weight.repeat(n, 1))  # (H*D_v, D_2)
        q = self.W_Q(x).unflatten(2, (self.H, self.D_qk)).transpose(1, 2)     # (B, H, L_1, D_qk)
        k = self.K_full(y).unflatten(2, (self.H, self.D_qk)).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = self.V_full(y).unflatten(2, (self.H, self.D_v)).transpose(1, 2)   # (B, H, L_2, D_v)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, -1)                    # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).flatten(2))                   # (B, L_1, D_1)
