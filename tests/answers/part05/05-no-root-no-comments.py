# names: no-root
class MyMHA(nn.Module):

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()

        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H

        self.W_Q = nn.Linear(in_features=D_1, out_features=D_qk * H, bias=False)
        self.W_K = nn.Linear(in_features=D_2, out_features=D_qk * H, bias=False)
        self.W_V = nn.Linear(in_features=D_2, out_features=D_v * H, bias=False)
        self.W_O = nn.Linear(in_features=D_v * H, out_features=D_1, bias=False)

    def forward(self, x, y):
        b, l1, _ = x.size()
        l2 = y.size(1)


        q = self.W_Q(x).reshape(b, l1, self.H, self.D_qk).permute(0, 2, 1, 3)

        k = self.W_K(y).reshape(b, l2, self.H, self.D_qk).permute(0, 2, 3, 1)

        v = self.W_V(y).reshape(b, l2, self.H, self.D_v).permute(0, 2, 1, 3)


        s = torch.matmul(q, k) / self.D_qk

        a = nn.functional.softmax(s, dim=-1)

        o = torch.matmul(a, v)

        o = o.permute(0, 2, 1, 3).reshape(b, l1, self.H * self.D_v)

        return self.W_O(o)
