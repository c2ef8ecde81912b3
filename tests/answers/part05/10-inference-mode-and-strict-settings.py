torch.autograd.set_detect_anomaly(True)
torch.use_deterministic_algorithms(True)
torch.set_float32_matmul_precision("highest")
np.seterr(all="raise")


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    @torch.inference_mode()
    def forward(self, x, y):
        B, L_1, L_2 = len(x), x.shape[1], y.shape[1]
        q = self.W_Q(x).reshape(B, L_1, self.H, self.D_qk)  # (B, L_1, H, D_qk)
        k = self.W_K(y).reshape(B, L_2, self.H, self.D_qk)  # (B, L_2, H, D_qk)
        v = self.W_V(y).reshape(B, L_2, self.H, self.D_v)  # (B, L_2, H, D_v)
        a = torch.einsum("bihd,bjhd->bhij", q, k).div_(self.D_qk**0.5).softmax(-1)  # (B, H, L_1, L_2)
        o = torch.einsum("bhij,bjhv->bihv", a, v).flatten(2)  # (B, L_1, H*D_v)
        return self.W_O(o)  # (B, L_1, D_1)
