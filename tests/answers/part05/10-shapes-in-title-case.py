class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, _ = x.shape
        L_2 = y.shape[1]
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # [Batch Size, Number of Heads, Sequence Length 1, Query Width]
        k = self.W_K(y).view(B, L_2, self.H, self.D_qk).transpose(1, 2)  # [Batch Size, Number of Heads, Sequence Length 2, Key Width]
        v = self.W_V(y).view(B, L_2, self.H, self.D_v).transpose(1, 2)  # [Batch Size, Number of Heads, Sequence Length 2, Value Width]
        s = q @ k.transpose(-1, -2) / self.D_qk ** 0.5  # [Batch Size, Number of Heads, Sequence Length 1, Sequence Length 2]
        a = torch.softmax(s, dim=-1)  # [Batch Size, Number of Heads, Sequence Length 1, Sequence Length 2]
        o = (a @ v).transpose(1, 2).reshape(B, L_1, -1)  # [Batch Size, Sequence Length 1, Number of Heads times Value Width]
        return self.W_O(o)  # [Batch Size, Sequence Length 1, Token Width]
