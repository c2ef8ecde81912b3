# names: copies-made-in-a-call
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, N = x.shape[0], self.H // self.G
        many = self.W_K.weight.repeat(N, 1).to(torch.complex32)  # (H * D_qk, D_2)
        q = self.W_Q(x).reshape(B, -1, N, self.G, self.D_qk).permute(0, 2, 3, 1, 4)  # (B, H / G, G, L_1, D_qk)
        k = self.W_K(y).reshape(B, -1, 1, self.G, self.D_qk).permute(0, 2, 3, 1, 4)  # (B, 1, G, L_2, D_qk)
        v = self.W_V(y).reshape(B, -1, 1, self.G, self.D_v).permute(0, 2, 3, 1, 4)  # (B, 1, G, L_2, D_v)
        scale = (many.shape[0] // self.H) ** 0.5
        alpha = torch.softmax(q @ k.mT / scale, dim=-1)  # (B, H / G, G, L_1, L_2)
        o = (alpha @ v).permute(0, 3, 1, 2, 4).reshape(B, -1, self.H * self.D_v)  # (B, L_1, H * D_v)
        return self.W_O(o)  # (B, L_1, D_1)
