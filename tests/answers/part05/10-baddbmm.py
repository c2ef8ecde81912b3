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
        B, L_1, _ = x.shape
        L_2, H = y.shape[1], self.H
        q = self.W_Q(x).view(B, L_1, H, -1).transpose(1, 2).flatten(0, 1)     # (BH, L_1, D_qk)
        k = self.W_K(y).view(B, L_2, H, -1).permute(0, 2, 3, 1).flatten(0, 1) # (BH, D_qk, L_2)
        v = self.W_V(y).view(B, L_2, H, -1).transpose(1, 2).flatten(0, 1)     # (BH, L_2, D_v)
        s = torch.baddbmm(q.new_zeros(1, 1, 1), q, k, beta=0, alpha=self.D_qk ** -0.5)   # (BH, L_1, L_2)
        o = s.softmax(-1).bmm(v)                                              # (BH, L_1, D_v)
        o = o.unflatten(0, (B, H)).transpose(1, 2).flatten(2)                 # (B, L_1, H*D_v)
        return self.W_O(o)                                                    # (B, L_1, D_1)
