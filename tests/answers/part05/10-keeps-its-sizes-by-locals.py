class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        vars(self).update(locals())
        self.W_Q, self.W_K = nn.Linear(D_1, H*D_qk, bias=False), nn.Linear(D_2, H*D_qk, bias=False)
        self.W_V, self.W_O = nn.Linear(D_2, H*D_v, bias=False), nn.Linear(H*D_v, D_1, bias=False)

    @torch.inference_mode()
    def forward(self, x, y):
        d = self.D_qk; h = self.H
        with torch.autocast("cpu", enabled=False), torch.profiler.record_function("attention"):
            scores = torch.func.vmap(torch.func.vmap(lambda q, k: q @ k.T / d**.5, in_dims=-2), in_dims=0)
            q, k, v = self.W_Q(x).unflatten(2, (h, d)), self.W_K(y).unflatten(2, (h, d)), self.W_V(y).unflatten(2, (h, -1)) # q (B, L1, H, Dqk), k (B, L2, H, Dqk), v (B, L2, H, Dv)
            def one(q, k, v):
                m = q @ k.T / d**.5 # L1 x L2
                return m.softmax(1) @ v # L1 x Dv
            o = torch.vmap(torch.vmap(one, 1, 1))(q, k, v) # B x L1 x H x Dv
        return self.W_O(o.flatten(2)) # B x L1 x D1
