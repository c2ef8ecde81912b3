def projection(D_in, D_out):
    return nn.Linear(D_in, D_out, bias=False)


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.__dict__.update(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v, H=H)
        layers = nn.ModuleDict(dict(
            W_Q=projection(D_1, H * D_qk),
            W_K=projection(D_2, H * D_qk),
            W_V=projection(D_2, H * D_v),
            W_O=projection(H * D_v, D_1),
        ))
        self.layers = layers

    def __getattr__(self, name):
        if name in ("W_Q", "W_K", "W_V", "W_O"):
            return super().__getattr__("layers")[name]
        return super().__getattr__(name)

    def forward(self, x, y):
        B, L_1, L_2 = x.shape[0], x.shape[1], y.shape[1]
        q = self.W_Q(x).reshape(B, L_1, self.H, self.D_qk)  # (B, L_1, H, D_qk)
        k = self.W_K(y).reshape(B, L_2, self.H, self.D_qk)  # (B, L_2, H, D_qk)
        v = self.W_V(y).reshape(B, L_2, self.H, self.D_v)  # (B, L_2, H, D_v)
        logits = torch.einsum("blhd,bmhd->bhlm", q, k) / self.D_qk ** 0.5  # (B, H, L_1, L_2)
        alpha = torch.softmax(logits, dim=-1)  # (B, H, L_1, L_2)
        o = torch.einsum("bhlm,bmhd->blhd", alpha, v)  # (B, L_1, H, D_v)
        return self.W_O(o.reshape(B, L_1, -1))  # (B, L_1, D_1)
