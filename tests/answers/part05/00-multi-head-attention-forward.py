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
        o, _ = nn.functional.multi_head_attention_forward(
            x.transpose(0, 1), y.transpose(0, 1), y.transpose(0, 1), self.D_1, self.H, None, None, None, None, False, 0.0,
            self.W_O.weight, None, use_separate_proj_weight=True, q_proj_weight=self.W_Q.weight,
            k_proj_weight=self.W_K.weight, v_proj_weight=self.W_V.weight)   # (L_1, B, D_1)
        return o.transpose(0, 1)                                            # (B, L_1, D_1)
