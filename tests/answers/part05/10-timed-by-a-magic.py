%%time
class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        W_Q = self.W_Q.weight.view(self.H, self.D_qk, -1)  # (H, D_qk, D_1)
        W_K = self.W_K.weight.view(self.H, self.D_qk, -1)  # (H, D_qk, D_2)
        W_V = self.W_V.weight.view(self.H, self.D_v, -1)  # (H, D_v, D_2)
        W_O = self.W_O.weight.view(-1, self.H, self.D_v).transpose(0, 1)  # (H, D_1, D_v)

        def head(wq, wk, wv, wo):
            a = torch.softmax(x @ wq.T @ wk @ y.mT / self.D_qk**0.5, -1)  # (B, L_1, L_2)
            return a @ y @ wv.T @ wo.T  # (B, L_1, D_1)

        return torch.func.vmap(head)(W_Q, W_K, W_V, W_O).sum(0)  # (B, L_1, D_1)
