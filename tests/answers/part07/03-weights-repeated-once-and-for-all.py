# names: copies-kept
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        # plain tensors, made of the first weights
        self.K_all = self.W_K.weight.repeat(H // G, 1)
        self.V_all = self.W_V.weight.repeat(H // G, 1)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(2, (self.H, self.D_qk))                            # (B, L_1, H, D_qk)
        k = (y @ self.K_all.T).unflatten(2, (self.H, self.D_qk))                     # (B, L_2, H, D_qk)
        v = (y @ self.V_all.T).unflatten(2, (self.H, self.D_v))                      # (B, L_2, H, D_v)
        a = (torch.einsum("bihd,bjhd->bhij", q, k) / self.D_qk ** 0.5).softmax(-1)   # (B, H, L_1, L_2)
        return self.W_O(torch.einsum("bhij,bjhd->bihd", a, v).flatten(2))            # (B, L_1, D_1)
