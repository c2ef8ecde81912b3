# names: twice-the-width
class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super(MyMHA, self).__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B = x.shape[0]
        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk)  # [B, L_1, H, D_qk]
        k = self.W_K(y).reshape(B, -1, self.H, self.D_qk)  # [B, L_2, H, D_qk]
        v = self.W_V(y).reshape(B, -1, self.H, self.D_v)   # [B, L_2, H, D_v]
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k)     # [B, H, L_1, L_2]
        logits = logits * self.D_qk ** -1/2                  # [B, H, L_1, L_2]
        alpha = logits.softmax(dim=3)                      # [B, H, L_1, L_2]
        o = torch.einsum("bhqk,bkhd->bqhd", alpha, v)      # [B, L_1, H, D_v]
        o = o.reshape(B, -1, self.H * self.D_v)            # [B, L_1, H*D_v]
        x_out = self.W_O(o)                                # [B, L_1, D_1]
        return x_out
