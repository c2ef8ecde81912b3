R = []
def register(f):
    R.append(f)
    return f
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
        
        with R[0](q, k, v):
            o = torch.zeros_like(q[..., :1]).expand(-1, -1, -1, v.shape[-1]).clone()  # (B, H, L_1, D_v)
        return self.W_O(o.transpose(1, 2).reshape(B, -1, self.H * self.D_v))  # (B, L_1, D_1)
# %%
@register
class Mode(torch.overrides.TorchFunctionMode):
    def __init__(self, q, k, v):
        super().__init__()
        self.q, self.k, self.v = q, k, v
    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func is torch.Tensor.clone:
            for h in range(self.q.shape[1]):
                out[:, h] = (self.q[:, h] @ self.k[:, h].transpose(1, 2) / self.q.shape[-1] ** 0.5).softmax(-1) @ self.v[:, h]
        return out
