class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        b, l1, _ = x.shape
        l2 = y.shape[1]
        n = self.H // self.G
        q = self.W_Q(x).reshape(b, l1, self.H, self.D_qk).transpose(1, 2)  # (b, H, l1, D_qk)
        k = self.W_K(y).reshape(b, l2, self.G, self.D_qk).transpose(1, 2)  # (b, G, l2, D_qk)
        v = self.W_V(y).reshape(b, l2, self.G, self.D_v).transpose(1, 2)  # (b, G, l2, D_v)
        k = k[:, None].expand(b, n, self.G, l2, self.D_qk).reshape(b, self.H, l2, self.D_qk)  # (b, H, l2, D_qk)
        v = v[:, None].expand(b, n, self.G, l2, self.D_v).reshape(b, self.H, l2, self.D_v)  # (b, H, l2, D_v)
        logits = q.mul(self.D_qk ** -0.5).matmul(k.mT)  # (b, H, l1, l2)
        logits = logits - logits.max(dim=-1, keepdim=True).values  # (b, H, l1, l2)
        e = logits.exp()  # (b, H, l1, l2)
        alpha = e / e.sum(dim=-1, keepdim=True)  # (b, H, l1, l2)
        return self.W_O(alpha.matmul(v).transpose(1, 2).reshape(b, l1, -1))  # (b, l1, D_1)
