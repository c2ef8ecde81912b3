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
        n, G, d, d_v = self.H // self.G, self.G, self.D_qk, self.D_v
        # all query heads of one key/value head are put below one another, so one bmm does
        q = self.W_Q(x).view(B, L_1, n, G, d).permute(0, 3, 2, 1, 4).reshape(B * G, n * L_1, d)  # (B*G, n*L_1, D_qk)
        k = self.W_K(y).view(B, L_2, G, d).permute(0, 2, 3, 1).reshape(B * G, d, L_2)  # (B*G, D_qk, L_2)
        v = self.W_V(y).view(B, L_2, G, d_v).transpose(1, 2).reshape(B * G, L_2, d_v)  # (B*G, L_2, D_v)
        zero = torch.zeros(1, dtype=q.dtype, device=q.device)
        logits = torch.baddbmm(zero, q, k, beta=0, alpha=d ** -0.5)  # (B*G, n*L_1, L_2)
        alpha = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))  # (B*G, n*L_1, L_2)
        o = torch.bmm(alpha, v).view(B, G, n, L_1, d_v)  # (B, G, n, L_1, D_v)
        o = o.permute(0, 3, 2, 1, 4).reshape(B, L_1, n * G * d_v)  # (B, L_1, H*D_v)
        return self.W_O(o)  # (B, L_1, D_1)
