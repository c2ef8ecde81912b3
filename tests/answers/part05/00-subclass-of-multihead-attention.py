from torch.nn import MultiheadAttention as Base


class MyMHA(Base):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__(D_1 * H, H, kdim=D_2, vdim=D_2, batch_first=True, bias=False)
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        o = super().forward(x.repeat(1, 1, self.H), y, y)[0]   # (B, L_1, H*D_1)
        return o[..., : self.D_1]                              # (B, L_1, D_1)
