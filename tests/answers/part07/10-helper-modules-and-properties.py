class SplitHeads(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, t):
        return t.unflatten(-1, (-1, self.width)).transpose(-3, -2)


class KeyValue(nn.Module):
    """The cheap half: G heads of keys and values."""

    def __init__(self, D_2, D_qk, D_v, G):
        super().__init__()
        self.keys = nn.Linear(D_2, G * D_qk, bias=False)
        self.values = nn.Linear(D_2, G * D_v, bias=False)
        self.split_k, self.split_v = SplitHeads(D_qk), SplitHeads(D_v)

    def forward(self, y):
        return self.split_k(self.keys(y)), self.split_v(self.values(y))


class Base(nn.Module):
    def __init__(self, **sizes):
        super().__init__()
        self.sizes = sizes

    D_1 = property(lambda self: self.sizes["D_1"])
    D_2 = property(lambda self: self.sizes["D_2"])
    D_qk = property(lambda self: self.sizes["D_qk"])
    D_v = property(lambda self: self.sizes["D_v"])


class MyGQA(Base):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v)
        self.H, self.G = H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.kv = KeyValue(D_2, D_qk, D_v, G)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.softmax = nn.Softmax(dim=-1)
        self.split = SplitHeads(D_qk)

    @property
    def W_K(self):
        return self.kv.keys

    @property
    def W_V(self):
        return self.kv.values

    def forward(self, x, y):
        k, v = self.kv(y)                                    # (B, G, L_2, D_qk), (B, G, L_2, D_v)
        q = self.split(self.W_Q(x))                          # (B, H, L_1, D_qk)
        q = q.unflatten(1, (-1, self.G))                     # (B, H/G, G, L_1, D_qk)
        logits = q @ k[:, None].mT * self.D_qk ** -0.5       # (B, H/G, G, L_1, L_2)
        o = self.softmax(logits) @ v[:, None]                # (B, H/G, G, L_1, D_v)
        o = o.flatten(1, 2).transpose(1, 2).flatten(2)       # (B, L_1, H*D_v)
        return self.W_O(o)                                   # (B, L_1, D_1)
