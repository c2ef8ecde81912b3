class MyGQA(nn.Module):
    def __init__(self, d_one, d_two, width, value_width, n_heads, n_kv):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v = d_one, d_two, width, value_width
        self.H, self.G = torch.tensor(n_heads), n_kv
        self.share = n_heads // n_kv
        self.W_Q = nn.Linear(d_one, n_heads * width, bias=False)
        self.W_K = nn.Linear(d_two, n_kv * width, bias=False)
        self.W_V = nn.Linear(d_two, n_kv * value_width, bias=False)
        self.W_O = nn.Linear(n_heads * value_width, d_one, bias=False)
        torch.tensor(self.W_Q.weight)      # torch warns

    def forward(self, a, b):
        q = self.W_Q(a)  # batch, len_a, heads * width
        q = torch.stack(torch.chunk(q, self.share, dim=-1), dim=1)  # (B, share, L_a, G*D_qk)
        q = torch.stack(torch.chunk(q, self.G, dim=-1), dim=2)  # (B, share, G, L_a, D_qk)
        k = torch.stack(self.W_K(b).chunk(self.G, dim=-1), dim=1)[:, None]  # (B, 1, G, L_b, D_qk)
        v = torch.stack(self.W_V(b).chunk(self.G, dim=-1), dim=1)[:, None]  # (B, 1, G, L_b, D_v)
        w = torch.softmax(q @ k.mT / self.D_qk ** 0.5, dim=-1)  # (B, share, G, L_a, L_b)
        o = torch.movedim(w @ v, 3, 1)  # (B, L_a, share, G, D_v)
        return self.W_O(o.flatten(2))  # (B, L_a, D_1)
