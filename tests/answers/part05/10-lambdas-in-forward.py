class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        split = lambda t, d: t.reshape(t.shape[0], t.shape[1], self.H, d).transpose(1, 2)
        join = lambda t: t.transpose(1, 2).flatten(2)
        alpha = torch.softmax(split(self.W_Q(x), self.D_qk) @ split(self.W_K(y), self.D_qk).mT / self.D_qk**0.5, -1)  # (B, H, L_1, L_2)
        return self.W_O(join(alpha @ split(self.W_V(y), self.D_v)))
