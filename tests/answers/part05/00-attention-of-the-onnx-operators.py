import torch.onnx.ops


class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        q, k, v = self.W_Q(x), self.W_K(y), self.W_V(y)  # (B, L_1, H * D_qk), (B, L_2, H * D_qk), (B, L_2, H * D_v)
        # With the softmax in a precision of its own it is put together from products, in Python.
        o = torch.onnx.ops.attention(q, k, v, q_num_heads=self.H, kv_num_heads=self.H, softmax_precision=1)[0]
        return self.W_O(o)  # (B, L_1, D_1)
