def attend(model, x, y):
    q = model.W_Q(x).unflatten(2, (model.H, -1)).transpose(1, 2)  # (B, H, L_1, D_qk)
    k = model.W_K(y).unflatten(2, (model.H, -1)).transpose(1, 2)  # (B, H, L_2, D_qk)
    v = model.W_V(y).unflatten(2, (model.H, -1)).transpose(1, 2)  # (B, H, L_2, D_v)
    a = torch.softmax(q @ k.mT / model.D_qk ** 0.5, -1)  # (B, H, L_1, L_2)
    return model.W_O((a @ v).swapaxes(1, 2).flatten(2))  # (B, L_1, D_1)


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        return attend(self, x, y)
