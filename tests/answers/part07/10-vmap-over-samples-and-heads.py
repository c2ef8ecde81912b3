def one_head(q, k, v):
    a = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1)
    return a @ v

class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
    def forward(self, x, y):
        B, L_1, L_2 = len(x), x.shape[1], y.shape[1]
        q = self.W_Q(x).reshape(B, L_1, -1, self.G, self.D_qk)   # (B, L_1, H/G, G, D_qk)
        k = self.W_K(y).reshape(B, L_2, self.G, self.D_qk)       # (B, L_2, G, D_qk)
        v = self.W_V(y).reshape(B, L_2, self.G, self.D_v)        # (B, L_2, G, D_v)
        heads = torch.vmap(one_head, in_dims=(1, 1, 1), out_dims=1)            # over G
        heads = torch.vmap(heads, in_dims=(1, None, None), out_dims=1)         # over H/G
        heads = torch.vmap(heads)                                              # over B
        o = heads(q, k, v)                                       # (B, L_1, H/G, G, D_v)
        return self.W_O(o.reshape(B, L_1, -1))                   # (B, L_1, D_1)
