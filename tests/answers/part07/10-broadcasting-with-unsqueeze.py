class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1 = x.shape[:2]
        L_2 = y.shape[1]
        H, G = self.H, self.G
        q = self.W_Q(x).view(B, L_1, H // G, G, self.D_qk).permute(0, 2, 3, 1, 4)     # [B, H/G, G, L_1, D_qk]
        k = self.W_K(y).view(B, L_2, G, self.D_qk).permute(0, 2, 3, 1).unsqueeze(1)   # [B, 1, G, D_qk, L_2]
        v = self.W_V(y).view(B, L_2, G, self.D_v).permute(0, 2, 1, 3).unsqueeze(1)    # [B, 1, G, L_2, D_v]
        a = torch.softmax(q @ k / self.D_qk ** .5, -1)                                # [B, H/G, G, L_1, L_2]
        o = (a @ v).permute(0, 3, 1, 2, 4)                                            # [B, L_1, H/G, G, D_v]
        o = o.contiguous().view(B, L_1, H * self.D_v)                                 # [B, L_1, H*D_v]
        x_out = self.W_O(o)                                                           # [B, L_1, D_1]
        return x_out
