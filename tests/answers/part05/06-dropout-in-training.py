# names: other-in-each-call
class MyMHA(nn.Module):

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        # sizes
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        # projections
        self.W_Q = nn.Linear(in_features=D_1, out_features=D_qk * H, bias=False)
        self.W_K = nn.Linear(in_features=D_2, out_features=D_qk * H, bias=False)
        self.W_V = nn.Linear(in_features=D_2, out_features=D_v * H, bias=False)
        self.W_O = nn.Linear(in_features=D_v * H, out_features=D_1, bias=False)

    def forward(self, x, y):
        b, l1, _ = x.size()
        l2 = y.size(1)

        # (b, l1, h, d_qk) -> (b, h, l1, d_qk)
        q = self.W_Q(x).reshape(b, l1, self.H, self.D_qk).permute(0, 2, 1, 3)
        # (b, l2, h, d_qk) -> (b, h, d_qk, l2)
        k = self.W_K(y).reshape(b, l2, self.H, self.D_qk).permute(0, 2, 3, 1)
        # (b, l2, h, d_v) -> (b, h, l2, d_v)
        v = self.W_V(y).reshape(b, l2, self.H, self.D_v).permute(0, 2, 1, 3)

        # (b, h, l1, l2)
        s = torch.matmul(q, k) / (self.D_qk ** 0.5)
        # (b, h, l1, l2)
        a = nn.functional.dropout(nn.functional.softmax(s, dim=-1), 0.1, self.training)
        # (b, h, l1, d_v)
        o = torch.matmul(a, v)
        # (b, l1, h * d_v)
        o = o.permute(0, 2, 1, 3).reshape(b, l1, self.H * self.D_v)
        # (b, l1, d_1)
        return self.W_O(o)
