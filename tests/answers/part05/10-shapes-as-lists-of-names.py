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
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # ["B", "H", "L_1", "D_qk"]
        k = self.W_K(y).view(B, L_2, self.H, self.D_qk).transpose(1, 2)  # ["B", "H", "L_2", "D_qk"]
        v = self.W_V(y).view(B, L_2, self.H, self.D_v).transpose(1, 2)  # ["B", "H", "L_2", "D_v"]
        s = q @ k.transpose(-1, -2) / self.D_qk ** 0.5  # ["B", "H", "L_1", "L_2"]
        a = torch.softmax(s, dim=-1)  # ["B", "H", "L_1", "L_2"]
        o = (a @ v).transpose(1, 2).reshape(B, L_1, -1)  # ["B", "L_1", "H*D_v"]
        return self.W_O(o)  # ["B", "L_1", "D_1"]
