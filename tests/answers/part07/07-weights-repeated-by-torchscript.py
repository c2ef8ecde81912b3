# names: copies-made-in-a-call
@torch.jit.script
def project(y, W, copies: int):
    return y @ W.repeat(copies, 1).t()  # (B, L_2, H * D_qk)


class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, L_2 = x.shape[0], x.shape[1], y.shape[1]
        q = self.W_Q(x).view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = project(y, self.W_K.weight, self.H // self.G)  # (B, L_2, H * D_qk)
        v = project(y, self.W_V.weight, self.H // self.G)  # (B, L_2, H * D_v)
        k = k.view(B, L_2, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = v.view(B, L_2, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        alpha = torch.softmax(q @ k.transpose(2, 3) / self.D_qk**0.5, dim=3)  # (B, H, L_1, L_2)
        return self.W_O((alpha @ v).transpose(1, 2).reshape(B, L_1, -1))  # (B, L_1, D_1)
