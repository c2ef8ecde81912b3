class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)


    def split(self, t, width):
        return t.reshape(t.shape[0], t.shape[1], self.H, width).swapaxes(1, 2)

    def weights(self, q, k):
        return torch.softmax(q @ k.swapaxes(-1, -2) / self.D_qk ** 0.5, -1)

    def join(self, o):
        return o.swapaxes(1, 2).reshape(o.shape[0], o.shape[2], -1)

    def forward(self, x, y):
        q = self.split(self.W_Q(x), self.D_qk)   # {B, H, L_1, D_qk}
        k = self.split(self.W_K(y), self.D_qk)   # {B, H, L_2, D_qk}
        v = self.split(self.W_V(y), self.D_v)    # {B, H, L_2, D_v}
        alpha = self.weights(q, k)               # {B, H, L_1, L_2}
        o = self.join(alpha @ v)                 # {B, L_1, H*D_v}
        return self.W_O(o)                       # {B, L_1, D_1}
