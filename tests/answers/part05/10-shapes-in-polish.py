class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B = x.shape[0]
        q = self.W_Q(x)  # (partia, długość_x, głowy*szerokość)
        k = self.W_K(y)  # (partia, długość_y, głowy*szerokość)
        v = self.W_V(y)  # (partia, długość_y, głowy*szerokość)
        q = q.view(B, -1, self.H, self.D_qk).transpose(1, 2)  # (partia, głowy, długość_x, szerokość)
        k = k.view(B, -1, self.H, self.D_qk).transpose(1, 2)  # (partia, głowy, długość_y, szerokość)
        v = v.view(B, -1, self.H, self.D_v).transpose(1, 2)  # (partia, głowy, długość_y, szerokość)
        s = q @ k.mT / self.D_qk**0.5  # (partia, głowy, długość_x, długość_y)
        a = s.softmax(-1)  # (partia, głowy, długość_x, długość_y)
        o = (a @ v).transpose(1, 2)  # (partia, długość_x, głowy, szerokość)
        return self.W_O(o.flatten(2))  # (partia, długość_x, szerokość)
