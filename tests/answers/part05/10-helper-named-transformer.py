def transformer_heads(t, H):
    return t.unflatten(-1, (H, t.shape[-1] // H)).transpose(-3, -2)


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = transformer_heads(self.W_Q(x), self.H)           # (B, H, L_1, D_qk)
        k = transformer_heads(self.W_K(y), self.H)           # (B, H, L_2, D_qk)
        v = transformer_heads(self.W_V(y), self.H)           # (B, H, L_2, D_v)
        w = (q @ k.mT / np.sqrt(self.D_qk)).softmax(dim=-1)  # (B, H, L_1, L_2)
        return self.W_O((w @ v).transpose(1, 2).flatten(2))  # (B, L_1, D_1)
