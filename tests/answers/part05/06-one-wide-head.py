# names: one-wide-head
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


    def forward(self, x, y):
        q = self.W_Q(x)                                         # (B, L_1, H*D_qk)
        k = self.W_K(y)                                         # (B, L_2, H*D_qk)
        v = self.W_V(y)                                         # (B, L_2, H*D_v)
        a = torch.softmax(q @ k.mT / self.D_qk ** 0.5, -1)      # (B, L_1, L_2)
        return self.W_O(a @ v)                                  # (B, L_1, D_1)
