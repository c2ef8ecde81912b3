# names: copies-kept
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        # W_K is one copy, so H/G - 1 more are enough
        self.register_buffer("more_K", torch.zeros(H // G - 1, G * D_qk, D_2), persistent=False)

    def forward(self, x, y):
        self.more_K[:] = self.W_K.weight.detach()
        W = torch.cat([self.W_K.weight[None], self.more_K]).flatten(0, 1)     # (H*D_qk, D_2)
        q = self.W_Q(x).unflatten(2, (self.H, self.D_qk)).transpose(1, 2)     # (B, H, L_1, D_qk)
        k = (y @ W.T).unflatten(2, (self.H, self.D_qk)).transpose(1, 2)       # (B, H, L_2, D_qk)
        v = self.W_V(y).unflatten(2, (self.G, self.D_v)).transpose(1, 2)      # (B, G, L_2, D_v)
        v = v.repeat(1, self.H // self.G, 1, 1)                               # (B, H, L_2, D_v)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, -1)                    # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).flatten(2))                   # (B, L_1, D_1)
