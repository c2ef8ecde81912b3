class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super(MyMHA, self).__init__()
        self.__dict__.update(D_1=D_1, D_2=D_2, D_qk=D_qk, D_v=D_v, H=H)
        self.add_module("W_Q", nn.Linear(D_1, H * D_qk, bias=False))
        self.register_module("W_K", nn.Linear(D_2, H * D_qk, bias=False))
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, Anfrage: "torch.Tensor", 文脈: "torch.Tensor") -> "torch.Tensor":
        größe = self.D_qk
        q = self.W_Q(Anfrage).unflatten(-1, (self.H, größe))  # 形状（B, L₁, H, D_qk）
        k = self.W_K(文脈).unflatten(-1, (self.H, größe))  # 【B, L₂, H, D_qk】
        قيم = self.W_V(文脈).unflatten(-1, (self.H, self.D_v))  # Form: (B, L₂, H, D_v)
        s = torch.einsum("...ihd,...jhd->...hij", q, k) / größe**0.5  # B × H × L₁ × L₂
        o = torch.einsum("...hij,...jhd->...ihd", s.softmax(-1), قيم)  # B × L₁ × H × D_v
        return self.W_O(o.flatten(-2))  # (B, L₁, D₁)
