class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L1, L2 = len(x), x.shape[1], y.shape[1]
        q = self.W_Q(x)  # (Batch, Länge 1, H*D_qk)
        k = self.W_K(y)  # (Batch, Länge 2, H*D_qk)
        v = self.W_V(y)  # (Batch, Länge 2, H*D_v)
        q = q.view(B, L1, self.H, self.D_qk).transpose(1, 2)  # (Batch, Köpfe, Länge 1, D)
        k = k.view(B, L2, self.H, self.D_qk).transpose(1, 2)  # (Batch, Köpfe, Länge 2, D)
        v = v.view(B, L2, self.H, self.D_v).transpose(1, 2)  # (Batch, Köpfe, Länge 2, D)
        s = q @ k.mT / self.D_qk**0.5  # (Batch, Köpfe, Länge 1, Länge 2)
        a = s.softmax(-1)  # (Batch, Köpfe, Länge 1, Länge 2)
        o = (a @ v).transpose(1, 2)  # (Batch, Länge 1, Köpfe, D)
        return self.W_O(o.flatten(2))  # (Batch, Länge 1, D)
