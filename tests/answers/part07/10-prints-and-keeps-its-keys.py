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
        print("x", x.shape, "y", y.shape)
        q = self.W_Q(x).reshape(B, L_1, self.H // self.G, self.G, self.D_qk)  # (B, L_1, H/G, G, D_qk)
        k = self.W_K(y).reshape(B, L_2, self.G, self.D_qk)                    # (B, L_2, G, D_qk)
        v = self.W_V(y).reshape(B, L_2, self.G, self.D_v)                     # (B, L_2, G, D_v)
        self.register_buffer("last_keys", k.detach(), persistent=False)
        self.register_buffer("last_values", v.detach(), persistent=False)
        q /= self.D_qk ** 0.5                                                 # (B, L_1, H/G, G, D_qk)
        s = torch.einsum("blngd,bmgd->blngm", q, k)                           # (B, L_1, H/G, G, L_2)
        a = torch.softmax(s, dim=4)                                           # (B, L_1, H/G, G, L_2)
        o = torch.einsum("blngm,bmgd->blngd", a, v)                           # (B, L_1, H/G, G, D_v)
        print("o", o.shape)
        return self.W_O(o.reshape(B, L_1, -1))                                # (B, L_1, D_1)
