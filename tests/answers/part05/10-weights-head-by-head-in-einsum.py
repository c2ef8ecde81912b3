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
        W_Q = self.W_Q.weight.view(self.H, self.D_qk, self.D_1)   # (H, D_qk, D_1)
        W_K = self.W_K.weight.view(self.H, self.D_qk, self.D_2)   # (H, D_qk, D_2)
        W_V = self.W_V.weight.view(self.H, self.D_v, self.D_2)    # (H, D_v, D_2)
        W_O = self.W_O.weight.view(self.D_1, self.H, self.D_v)    # (D_1, H, D_v)
        s = torch.einsum("bld,hkd,hke,bme->bhlm", x, W_Q, W_K, y) # (B, H, L_1, L_2)
        a = torch.softmax(s / np.sqrt(self.D_qk), dim=-1)         # (B, H, L_1, L_2)
        return torch.einsum("bhlm,bme,hve,ohv->blo", a, y, W_V, W_O)   # (B, L_1, D_1)
