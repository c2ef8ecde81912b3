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


    def scaled_dot_product_attention(self, Q, K, V, mask=None):
        attn_scores = torch.matmul(Q, K.transpose(-2, -1)) / np.sqrt(self.D_qk)
        if mask is not None:
            attn_scores = attn_scores.masked_fill(mask == 0, -1e9)
        attn_probs = torch.softmax(attn_scores, dim=-1)
        return torch.matmul(attn_probs, V)

    def split_heads(self, t, width):
        batch_size, seq_length, _ = t.size()
        return t.view(batch_size, seq_length, self.H, width).transpose(1, 2)

    def combine_heads(self, t):
        batch_size, _, seq_length, d_v = t.size()
        return t.transpose(1, 2).contiguous().view(batch_size, seq_length, self.H * d_v)

    def forward(self, x, y, mask=None):
        Q = self.split_heads(self.W_Q(x), self.D_qk)                     # (B, H, L_1, D_qk)
        K = self.split_heads(self.W_K(y), self.D_qk)                     # (B, H, L_2, D_qk)
        V = self.split_heads(self.W_V(y), self.D_v)                      # (B, H, L_2, D_v)
        attn_output = self.scaled_dot_product_attention(Q, K, V, mask)   # (B, H, L_1, D_v)
        output = self.W_O(self.combine_heads(attn_output))               # (B, L_1, D_1)
        return output
