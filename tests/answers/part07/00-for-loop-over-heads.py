class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x)                                                 # (B, L_1, H*D_qk)
        k = self.W_K(y)                                                 # (B, L_2, G*D_qk)
        v = self.W_V(y)                                                 # (B, L_2, G*D_v)
        outs = []
        for h in range(self.H):
            g = h % self.G
            q_h = q[..., h * self.D_qk : (h + 1) * self.D_qk]           # (B, L_1, D_qk)
            k_g = k[..., g * self.D_qk : (g + 1) * self.D_qk]           # (B, L_2, D_qk)
            v_g = v[..., g * self.D_v : (g + 1) * self.D_v]             # (B, L_2, D_v)
            a = torch.softmax(q_h @ k_g.mT / self.D_qk ** 0.5, dim=-1)  # (B, L_1, L_2)
            outs.append(a @ v_g)                                        # (B, L_1, D_v)
        return self.W_O(torch.cat(outs, -1))                            # (B, L_1, D_1)
