class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        vars(self).update(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v, H=H)
        self.proj = nn.ModuleDict({
            "Q": nn.Linear(D_1, H * D_qk, bias=False),
            "K": nn.Linear(D_2, H * D_qk, bias=False),
            "V": nn.Linear(D_2, H * D_v, bias=False),
            "O": nn.Linear(H * D_v, D_1, bias=False),
        })

    W_Q = property(lambda self: self.proj["Q"])
    W_K = property(lambda self: self.proj["K"])
    W_V = property(lambda self: self.proj["V"])
    W_O = property(lambda self: self.proj["O"])

    def forward(self, x, y):
        q, k, v = self.W_Q(x), self.W_K(y), self.W_V(y)  # (B, L_1, H*D_qk), (B, L_2, H*D_qk), (B, L_2, H*D_v)
        q = q.unflatten(-1, (self.H, self.D_qk))  # (B, L_1, H, D_qk)
        k = k.unflatten(-1, (self.H, self.D_qk))  # (B, L_2, H, D_qk)
        v = v.unflatten(-1, (self.H, self.D_v))  # (B, L_2, H, D_v)
        s = torch.einsum("blhd,bmhd->bhlm", q, k).mul(self.D_qk ** -0.5)  # (B, H, L_1, L_2)
        o = torch.einsum("bhlm,bmhd->blhd", s.softmax(dim=-1), v)  # (B, L_1, H, D_v)
        return self.W_O(o.flatten(2))  # (B, L_1, D_1)
