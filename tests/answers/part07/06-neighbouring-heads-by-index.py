# names: neighbouring-heads
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, L_2 = x.shape[0], x.shape[1], y.shape[1]
        head = torch.arange(self.H) // (self.H // self.G)                 # (H,)
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)   # (B, H, L_1, D_qk)
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk).transpose(1, 2)   # (B, G, L_2, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v).transpose(1, 2)    # (B, G, L_2, D_v)
        k, v = k[:, head], v[:, head]                                     # (B, H, L_2, D)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, -1)                # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).reshape(B, L_1, -1))      # (B, L_1, D_1)
