class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H, self.G = D_1, D_2, D_qk, D_v, H, G
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, G * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, G * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        # get the sizes
        B, L_1, _ = x.shape
        L_2 = y.shape[1]
        # queries, split so that the heads that share are on one axis
        q = self.W_Q(x).view(B, L_1, self.H // self.G, self.G, self.D_qk)
        # keys
        k = self.W_K(y).view(B, L_2, self.G, self.D_qk)
        # values
        v = self.W_V(y).view(B, L_2, self.G, self.D_v)
        # scores, scaled
        logits = torch.einsum("blngd,bmgd->bnglm", q, k) / self.D_qk ** 0.5
        # softmax over the positions of y
        alpha = torch.softmax(logits, dim=-1)
        # weighted sum of the values
        o = torch.einsum("bnglm,bmgd->blngd", alpha, v)
        # output projection
        return self.W_O(o.reshape(B, L_1, -1))
