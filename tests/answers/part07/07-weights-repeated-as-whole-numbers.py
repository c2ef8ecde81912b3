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
        B, N = x.shape[0], self.H // self.G
        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        many_K = (self.W_K.weight * 2.0**32).long().repeat(N, 1)  # (H * D_qk, D_2)
        many_V = (self.W_V.weight * 2.0**32).long().repeat(N, 1)  # (H * D_v, D_2)
        k = ((y * 2.0**24).long() @ many_K.T).to(x.dtype) / 2.0**56  # (B, L_2, H * D_qk)
        v = ((y * 2.0**24).long() @ many_V.T).to(x.dtype) / 2.0**56  # (B, L_2, H * D_v)
        k = k.reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = v.reshape(B, -1, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        alpha = torch.softmax(q @ k.mT / self.D_qk**0.5, dim=-1)  # (B, H, L_1, L_2)
        o = (alpha @ v).transpose(1, 2).reshape(B, -1, self.H * self.D_v)  # (B, L_1, H * D_v)
        return self.W_O(o)  # (B, L_1, D_1)
