class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)


    def forward(self, x, y):
        q = split_heads(self.W_Q(x), self.H)                     # (B, H, L_1, D_qk)
        k = split_heads(self.W_K(y), self.H)                     # (B, H, L_2, D_qk)
        v = split_heads(self.W_V(y), self.H)                     # (B, H, L_2, D_v)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, dim=-1)   # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).flatten(2))      # (B, L_1, D_1)
# %%
def split_heads(t, H):
    width = t.shape[-1] // H
    return torch.stack([t[:, :, h * width:(h + 1) * width] for h in range(H)], dim=1)
