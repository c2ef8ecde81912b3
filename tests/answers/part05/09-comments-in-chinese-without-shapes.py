class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q = self.W_Q(x).unflatten(-1, (self.H, self.D_qk)).transpose(1, 2)  # 先线性变换，再分头（见第二部分）
        k = self.W_K(y).unflatten(-1, (self.H, self.D_qk)).transpose(1, 2)  # 键
        v = self.W_V(y).unflatten(-1, (self.H, self.D_v)).transpose(1, 2)  # (查询, 键, 值)
        att = torch.softmax(q @ k.transpose(-2, -1) / self.D_qk ** 0.5, dim=-1)  # 先缩放 (除以根号), 再归一
        o = (att @ v).transpose(1, 2).flatten(2)  # 合头
        return self.W_O(o)  # 输出
