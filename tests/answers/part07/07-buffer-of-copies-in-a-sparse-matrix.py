# names: copies-kept
class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)
        self.register_buffer("many_K", torch.cat((self.W_K.weight.detach().to_sparse(),) * (H // G)))
        self.register_buffer("many_V", torch.cat((self.W_V.weight.detach().to_sparse(),) * (H // G)))

    def forward(self, x, y):
        B, N = x.shape[0], self.H // self.G
        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = self.W_K(y).repeat(1, 1, N)  # (B, L_2, H * D_qk)
        v = self.W_V(y).repeat(1, 1, N)  # (B, L_2, H * D_v)
        k = k.reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = v.reshape(B, -1, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        alpha = torch.softmax(q @ k.mT / self.D_qk**0.5, dim=-1)  # (B, H, L_1, L_2)
        o = (alpha @ v).transpose(1, 2).reshape(B, -1, self.H * self.D_v)  # (B, L_1, H * D_v)
        return self.W_O(o)  # (B, L_1, D_1)
