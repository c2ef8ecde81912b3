class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        B = x.shape[0]
        q = self.W_Q(x).reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_1, D_qk)
        k = self.W_K(y).reshape(B, -1, self.H, self.D_qk).transpose(1, 2)  # (B, H, L_2, D_qk)
        v = self.W_V(y).reshape(B, -1, self.H, self.D_v).transpose(1, 2)  # (B, H, L_2, D_v)
        o = looped(q, k, v)  # (B, H, L_1, D_v)
        return self.W_O(o.transpose(1, 2).reshape(B, -1, self.H * self.D_v))  # (B, L_1, D_1)
# %%
%prun -rq looped = lambda q, k, v: torch.stack([(q[:, h] @ k[:, h].transpose(1, 2) / q.shape[-1] ** 0.5).softmax(-1) @ v[:, h] for h in range(q.shape[1])], dim=1)
