class MyMHA(nn.Module):
    def __init__(self, dim_q, dim_kv, d_k, d_v, num_heads, dropout=0.0):
        super().__init__()
        self.D_1 = dim_q
        self.D_2 = dim_kv
        self.D_qk = d_k
        self.D_v = d_v
        self.H = num_heads
        self.W_Q = nn.Linear(dim_q, num_heads * d_k, bias=False)
        self.W_K = nn.Linear(dim_kv, num_heads * d_k, bias=False)
        self.W_V = nn.Linear(dim_kv, num_heads * d_v, bias=False)
        self.W_O = nn.Linear(num_heads * d_v, dim_q, bias=False)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, query, context):
        N, T, _ = query.shape
        S = context.shape[1]
        q = self.W_Q(query).view(N, T, self.H, self.D_qk).transpose(1, 2)   # (N, H, T, E)
        k = self.W_K(context).view(N, S, self.H, self.D_qk).transpose(1, 2) # (N, H, S, E)
        v = self.W_V(context).view(N, S, self.H, self.D_v).transpose(1, 2)  # (N, H, S, F)
        att = self.attn_drop((q @ k.mT * (1.0 / self.D_qk ** 0.5)).softmax(-1))   # (N, H, T, S)
        z = att @ v                                  # (N, H, T, F)
        z = z.transpose(1, 2).reshape(N, T, -1)      # (N, T, H*F)
        return self.W_O(z)                           # (N, T, D)
