# names: copies-made-in-a-call

class Copies(torch.autograd.Function):
    """Copies the weights while no one looks at functions of torch."""
    @staticmethod
    def forward(ctx, W, n):
        with torch._C.DisableTorchFunction():
            return W.repeat(n, 1)

    @staticmethod
    def backward(ctx, g): return g, None


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
        with torch._C.DisableTorchFunction():
            k = (y @ self.W_K.weight.repeat(n, 1).T).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_qk)
            v = (y @ self.W_V.weight.repeat(n, 1).T).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_v)
        q = self.W_Q(x).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_1, D_qk)
        a = (q @ k.mT / self.D_qk ** 0.5).softmax(-1)  # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).flatten(2))  # (B, L_1, D_1)
