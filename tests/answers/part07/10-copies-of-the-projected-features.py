class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        # the copies are made of keys and values, after the projection, so W_K and W_V stay small
        B, L_1, D_1 = x.size()
        L_2 = y.size(1)
        copies = self.H // self.G
        q = self.W_Q(x)  # B x L_1 x H*D_qk
        k = self.W_K(y).repeat(1, 1, copies)  # B x L_2 x H*D_qk
        v = torch.tile(self.W_V(y), (copies,))  # B x L_2 x H*D_v
        q = q.reshape(B, L_1, self.H, -1).permute(0, 2, 1, 3)  # B x H x L_1 x D_qk
        k = k.reshape(B, L_2, self.H, -1).permute(0, 2, 3, 1)  # B x H x D_qk x L_2
        v = v.reshape(B, L_2, self.H, -1).permute(0, 2, 1, 3)  # B x H x L_2 x D_v
        w = nn.Softmax(dim=-1)(torch.matmul(q, k) * self.D_qk ** -0.5)  # B x H x L_1 x L_2
        o = torch.matmul(w, v).permute(0, 2, 1, 3).flatten(start_dim=2)  # B x L_1 x H*D_v
        return self.W_O(o)  # B x L_1 x D_1
