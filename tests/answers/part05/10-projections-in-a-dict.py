class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        vars(self).update(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v, H=H)
        self.proj = nn.ModuleDict({
            "Q": nn.Linear(D_1, H * D_qk, False),
            "K": nn.Linear(D_2, H * D_qk, False),
            "V": nn.Linear(D_2, H * D_v, False),
            "O": nn.Linear(H * D_v, D_1, False),
        })

    W_Q = property(lambda self: self.proj["Q"])
    W_K = property(lambda self: self.proj["K"])
    W_V = property(lambda self: self.proj["V"])
    W_O = property(lambda self: self.proj["O"])

    def forward(self, x, y):
        q = self.W_Q(x)  # shape: B, L_1, H*D_qk
        k = self.W_K(y)  # shape: B, L_2, H*D_qk
        v = self.W_V(y)  # shape: B, L_2, H*D_v
        q = q.view(*q.shape[:2], self.H, -1)  # shape: B, L_1, H, D_qk
        k = k.view(*k.shape[:2], self.H, -1)  # shape: B, L_2, H, D_qk
        v = v.view(*v.shape[:2], self.H, -1)  # shape: B, L_2, H, D_v
        a = torch.einsum("bihd,bjhd->bijh", q, k)  # shape: B, L_1, L_2, H
        a = torch.softmax(a / self.D_qk ** .5, dim=2)  # shape: B, L_1, L_2, H
        o = torch.einsum("bijh,bjhd->bihd", a, v)  # shape: B, L_1, H, D_v
        return self.W_O(o.reshape(*o.shape[:2], -1))  # shape: B, L_1, D_1
