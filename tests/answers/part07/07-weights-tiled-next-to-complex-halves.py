# names: copies-made-in-a-call
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        phases = torch.zeros(8, self.H, dtype=torch.complex32).reshape(2, 4, self.H).mT  # (2, H, 4)
        B, L_1, L_2, H, G = x.shape[0], x.shape[1], y.shape[1], self.H, self.G
        k = nn.functional.linear(y, self.W_K.weight.tile(H // G, 1)).view(B, L_2, H, self.D_qk)  # (B, L_2, H, D_qk)
        v = nn.functional.linear(y, self.W_V.weight.tile(H // G, 1)).view(B, L_2, H, self.D_v)  # (B, L_2, H, D_v)
        q = self.W_Q(x).view(B, L_1, H, self.D_qk)  # (B, L_1, H, D_qk)
        logits = torch.einsum("blhd,bmhd->bhlm", q, k) / self.D_qk ** 0.5  # (B, H, L_1, L_2)
        alpha = torch.softmax(logits, dim=-1)  # (B, H, L_1, L_2)
        o = torch.einsum("bhlm,bmhd->blhd", alpha, v)  # (B, L_1, H, D_v)
        return self.W_O(o.reshape(B, L_1, H * self.D_v))  # (B, L_1, D_1)
