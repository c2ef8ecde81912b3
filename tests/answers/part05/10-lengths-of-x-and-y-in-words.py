class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B = x.shape[0]
        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk)  # (batch, len x, heads, D_qk)
        k = self.W_K(y).reshape(B, -1, self.H, self.D_qk)  # (batch, len y, heads, D_qk)
        v = self.W_V(y).reshape(B, -1, self.H, self.D_v)  # (batch, len y, heads, D_v)
        w = torch.einsum("bqhd,bkhd->bhqk", q, k)  # (batch, heads, len x, len y)
        w = w.div(self.D_qk**0.5).softmax(-1)  # (batch, heads, len x, len y)
        o = torch.einsum("bhqk,bkhd->bqhd", w, v)  # (batch, len x, heads, D_v)
        return self.W_O(o.reshape(B, -1, self.H * self.D_v))  # (batch, len x, width of x)
