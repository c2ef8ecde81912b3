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


    def forward(self, x, y):
        q = self.W_Q(x)                                      # (B, L_1, H*D_qk)
        k = self.W_K(y)                                      # (B, L_2, H*D_qk)
        v = self.W_V(y)                                      # (B, L_2, H*D_v)
        heads = {h: torch.softmax(q[..., h*self.D_qk:(h+1)*self.D_qk] @ k[..., h*self.D_qk:(h+1)*self.D_qk].mT / self.D_qk ** 0.5, -1) @ v[..., h*self.D_v:(h+1)*self.D_v] for h in range(self.H)}         # (B, L_1, D_v) each
        o = torch.cat(list(heads.values()), -1)              # (B, L_1, H*D_v)
        return self.W_O(o)                                   # (B, L_1, D_1)
