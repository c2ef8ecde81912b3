# q . (W_K y) = (W_K^T q) . y, and the values are projected after the average
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        n = self.H // self.G
        W_K = self.W_K.weight.view(self.G, self.D_qk, self.D_2)                 # {G, D_qk, D_2}
        W_V = self.W_V.weight.view(self.G, self.D_v, self.D_2)                  # {G, D_v, D_2}
        q = self.W_Q(x).view(*x.shape[:2], n, self.G, self.D_qk)                # {B, L_1, n, G, D_qk}
        p = torch.einsum("blngd,gde->blnge", q, W_K)                            # {B, L_1, n, G, D_2}
        logits = torch.einsum("blnge,bme->blngm", p, y) / self.D_qk ** 0.5      # {B, L_1, n, G, L_2}
        mean = torch.einsum("blngm,bme->blnge", logits.softmax(-1), y)          # {B, L_1, n, G, D_2}
        o = torch.einsum("blnge,gve->blngv", mean, W_V)                         # {B, L_1, n, G, D_v}
        return self.W_O(o.flatten(2))                                           # {B, L_1, D_1}
