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
        def attend(q, K, V):
            alpha = torch.softmax(K @ q / self.D_qk ** 0.5, dim=0)   # (L_2,)
            return alpha @ V                                         # (D_v,)

        over_positions = torch.vmap(attend, in_dims=(0, None, None))
        over_heads = torch.vmap(over_positions, in_dims=(1, 1, 1), out_dims=1)
        over_samples = torch.vmap(over_heads)
        q = self.W_Q(x).view(x.shape[0], x.shape[1], self.H, self.D_qk)   # (B, L_1, H, D_qk)
        k = self.W_K(y).view(y.shape[0], y.shape[1], self.H, self.D_qk)   # (B, L_2, H, D_qk)
        v = self.W_V(y).view(y.shape[0], y.shape[1], self.H, self.D_v)    # (B, L_2, H, D_v)
        o = over_samples(q, k, v)                                         # (B, L_1, H, D_v)
        o = o.reshape(x.shape[0], x.shape[1], -1)                         # (B, L_1, H D_v)
        return self.W_O(o)                                                # (B, L_1, D_1)
