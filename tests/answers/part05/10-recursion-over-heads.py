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


    def head(self, q, k, v, h):
        """Heads h, h + 1, ... side by side, (B, L_1, (H - h) * D_v)."""
        q_h = q[..., h * self.D_qk : (h + 1) * self.D_qk]
        k_h = k[..., h * self.D_qk : (h + 1) * self.D_qk]
        v_h = v[..., h * self.D_v : (h + 1) * self.D_v]
        o_h = torch.softmax(q_h @ k_h.transpose(1, 2) / self.D_qk ** 0.5, dim=2) @ v_h
        if h == self.H - 1:
            return o_h
        return torch.cat([o_h, self.head(q, k, v, h + 1)], dim=2)

    def forward(self, x, y):
        q = self.W_Q(x)                  # (B, L_1, H*D_qk)
        k = self.W_K(y)                  # (B, L_2, H*D_qk)
        v = self.W_V(y)                  # (B, L_2, H*D_v)
        o = self.head(q, k, v, 0)        # (B, L_1, H*D_v)
        return self.W_O(o)               # (B, L_1, D_1)
