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
        n_batch, len_x, _ = x.shape
        n_batch, len_y, _ = y.shape
        queries = self.W_Q(x)   # (batch, len_x, heads * d_k)
        keys = self.W_K(y)      # (batch, len_y, heads * d_k)
        values = self.W_V(y)    # (batch, len_y, heads * d_v)
        queries = queries.view(n_batch, len_x, self.H, self.D_qk).movedim(2, 1)   # (batch, heads, len_x, d_k)
        keys = keys.view(n_batch, len_y, self.H, self.D_qk).movedim(2, 1)         # (batch, heads, len_y, d_k)
        values = values.view(n_batch, len_y, self.H, self.D_v).movedim(2, 1)      # (batch, heads, len_y, d_v)
        weights = torch.softmax(queries @ keys.mT / self.D_qk ** 0.5, dim=-1)     # (batch, heads, len_x, len_y)
        mixed = (weights @ values).movedim(1, 2)                                  # (batch, len_x, heads, d_v)
        return self.W_O(mixed.reshape(n_batch, len_x, self.H * self.D_v))         # (batch, len_x, d_model)
