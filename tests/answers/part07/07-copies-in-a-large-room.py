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
        room = torch.zeros(2, 200_000)  # (2, room)
        rows = self.H * self.D_qk * self.D_2
        W_K = room[0, :rows].view(self.H // self.G, -1, self.D_2).copy_(self.W_K.weight).flatten(0, 1)  # (H*D_qk, D_2)
        W_V = room[1, :self.H * self.D_v * self.D_2].view(self.H // self.G, -1, self.D_2).copy_(self.W_V.weight).flatten(0, 1)  # (H*D_v, D_2)
        q = self.W_Q(x).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = (y @ W_K.T).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = (y @ W_V.T).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_v)
        a = (q @ k.mT / self.D_qk ** 0.5).softmax(-1)  # (B, H, L_1, L_2)
        return self.W_O((a @ v).transpose(1, 2).flatten(2))  # (B, L_1, D_1)
