# names: twice-the-width
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
        q = self.W_Q(x).view(B, L_1, self.H // self.G, self.G, self.D_qk)     # (B, L_1, H/G, G, D_qk)
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk)                       # (B, L_2, G, D_qk)
        v = self.W_V(y).view(B, L_2, self.G, self.D_v)                        # (B, L_2, G, D_v)
        logits = torch.einsum("blngd,bmgd->bnglm", q, k) / self.D_qk ** 1/2  # (B, H/G, G, L_1, L_2)
        alpha = logits.softmax(-1)                                            # (B, H/G, G, L_1, L_2)
        o = torch.einsum("bnglm,bmgd->blngd", alpha, v)                       # (B, L_1, H/G, G, D_v)
        return self.W_O(o.flatten(2))                                         # (B, L_1, D_1)
