class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.G = G
        self.W_Q = nn.Linear(D_1, D_qk * H, bias=False)
        self.W_K = nn.Linear(D_2, D_qk * G, bias=False)
        self.W_V = nn.Linear(D_2, D_v * G, bias=False)
        self.W_O = nn.Linear(D_v * H, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x)                                                       # (B, L_1, H*D_qk)
        k = self.W_K(y)                                                       # (B, L_2, G*D_qk)
        v = self.W_V(y)                                                       # (B, L_2, G*D_v)
        q = q.unflatten(-1, (self.H // self.G, self.G, self.D_qk))            # (B, L_1, H/G, G, D_qk)
        k = k.unflatten(-1, (self.G, self.D_qk))                              # (B, L_2, G, D_qk)
        v = v.unflatten(-1, (self.G, self.D_v))                               # (B, L_2, G, D_v)
        s = torch.einsum('bangd,bcgd->bngac', q, k) / np.sqrt(self.D_qk)      # (B, H/G, G, L_1, L_2)
        a = s.softmax(-1)                                                     # (B, H/G, G, L_1, L_2)
        o = torch.einsum('bngac,bcgd->bangd', a, v)                           # (B, L_1, H/G, G, D_v)
        return self.W_O(o.flatten(2))                                         # (B, L_1, D_1)
