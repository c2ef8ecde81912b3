class SplitHeads(nn.Module):
    def __init__(self, H):
        super().__init__()
        self.H = H

    def forward(self, t):
        B, L, D = t.shape
        return t.reshape(B, L, self.H, D // self.H).transpose(1, 2)


class JoinHeads(nn.Module):
    def forward(self, t):
        B, H, L, D = t.shape
        return t.transpose(1, 2).reshape(B, L, H * D)


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2 = D_1, D_2
        self.D_qk, self.D_v = D_qk, D_v
        self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.split, self.join = SplitHeads(H), JoinHeads()
        self.normalise = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, y):
        q = self.split(self.W_Q(x))                      # <B, H, L_1, D_qk>
        k = self.split(self.W_K(y))                      # <B, H, L_2, D_qk>
        v = self.split(self.W_V(y))                      # <B, H, L_2, D_v>
        s = q.matmul(k.transpose(-1, -2))                # <B, H, L_1, L_2>
        w = self.normalise(s / self.D_qk ** 0.5)         # <B, H, L_1, L_2>
        w = self.dropout(w)                              # <B, H, L_1, L_2>
        return self.W_O(self.join(w.matmul(v)))          # <B, L_1, D_1>
