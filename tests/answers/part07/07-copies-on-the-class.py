# names: copies-kept
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        type(self).copies = self.W_K.weight.detach().repeat(H // G, 1)

    def forward(self, x, y):
        B = x.shape[0]
        n = self.H // self.G
        K, V = self.W_K.weight, self.W_V.weight

        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = (y @ K.T).reshape(B, y.shape[1], -1, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = (y @ V.T).reshape(B, y.shape[1], -1, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        k, v = (k.repeat(1, self.H // k.shape[1], 1, 1), v.repeat(1, self.H // v.shape[1], 1, 1))  # (B, H, L_2, D_qk)
        o = torch.softmax(q @ k.mT / self.D_qk**0.5, dim=-1) @ v  # (B, H, L_1, D_v)
        return self.W_O(o.transpose(1, 2).reshape(B, -1, self.H * self.D_v))  # (B, L_1, D_1)
