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
        q = torch.stack(self.W_Q(x).chunk(self.H, dim=-1))   # H x B x L_1 x D_qk
        k = torch.stack(self.W_K(y).chunk(self.H, dim=-1))   # H x B x L_2 x D_qk
        v = torch.stack(self.W_V(y).chunk(self.H, dim=-1))   # H x B x L_2 x D_v
        a = (q @ k.transpose(2, 3) * self.D_qk ** -0.5).softmax(-1)   # H x B x L_1 x L_2
        o = a @ v                                            # H x B x L_1 x D_v
        o = torch.cat(o.unbind(0), dim=-1)                   # B x L_1 x (H*D_v)
        return self.W_O(o)                                   # B x L_1 x D_1
