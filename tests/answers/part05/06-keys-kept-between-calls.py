# names: other-in-each-call
class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1 = D_1
        self.D_2 = D_2
        self.D_qk = D_qk
        self.D_v = D_v
        self.H = H
        self.cache = None
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B, L_1, D_1 = x.shape
        B, L_2, D_2 = y.shape
        Q = self.W_Q(x)  # (B, L_1, H*D_qk)
        K = self.W_K(y)  # (B, L_2, H*D_qk)
        V = self.W_V(y)  # (B, L_2, H*D_v)
        Q = Q.view(B, L_1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        K = K.view(B, L_2, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        V = V.view(B, L_2, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        if self.cache is not None and self.cache[0].shape[0] == B:
            K = torch.cat([self.cache[0], K], dim=2)  # (B, H, L, D_qk)
            V = torch.cat([self.cache[1], V], dim=2)  # (B, H, L, D_v)
        self.cache = (K, V)
        scores = Q @ K.transpose(-2, -1) / np.sqrt(self.D_qk)  # (B, H, L_1, L_2)
        attn = torch.softmax(scores, dim=-1)  # (B, H, L_1, L_2)
        out = attn @ V  # (B, H, L_1, D_v)
        out = out.transpose(1, 2).contiguous().view(B, L_1, self.H * self.D_v)  # (B, L_1, H*D_v)
        return self.W_O(out)  # (B, L_1, D_1)
