class MyMHA(nn.Module):
    """As part 5 has it."""

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q = nn.Linear(D_1, H * D_qk, bias=False)
        self.W_K = nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V = nn.Linear(D_2, H * D_v, bias=False)
        self.W_O = nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        Q = self.W_Q(x).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_1, D_qk)
        K = self.W_K(y).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_qk)
        scores = Q @ K.mT / self.D_qk ** 0.5  # (B, H, L_1, L_2)
        V = self.W_V(y).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L_2, D_v)
        return self.W_O((scores.softmax(-1) @ V).transpose(1, 2).flatten(2))  # (B, L_1, D_1)


def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_K_MLA_hat = W_DKV
    W_V_MLA_hat = W_DKV
    W_Q_MLA_hat = (r / d) ** 0.5 * torch.einsum("hdr,hdc->hrc", W_UK.view(H, d, r), W_Q.view(H, d, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q = torch.randn(D, D)
W_O = torch.randn(D, D)
x = torch.randn(B, L_1, D).to(device)
y = torch.randn(B, L_2, D).to(device)

model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
model_MHA_vanilla.W_Q.weight.data = W_Q
model_MHA_vanilla.W_K.weight.data = W_UK @ W_DKV
model_MHA_vanilla.W_V.weight.data = W_UV @ W_DKV
model_MHA_vanilla.W_O.weight.data = W_O
model_MHA_vanilla.to(device)
with torch.no_grad():
    output_vanilla = model_MHA_vanilla(x, y)

W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H)
model_MHA_reduced.W_Q.weight.data = W_Q_MLA_hat
model_MHA_reduced.W_K.weight.data = W_K_MLA_hat.repeat(H, 1)
model_MHA_reduced.W_V.weight.data = W_V_MLA_hat.repeat(H, 1)
model_MHA_reduced.W_O.weight.data = W_O_MLA_hat
model_MHA_reduced.to(device)
with torch.no_grad():
    output_reduced = model_MHA_reduced(x, y)

relative_error = torch.sqrt(torch.mean((output_vanilla - output_reduced) ** 2)) / torch.sqrt(torch.mean(output_vanilla ** 2))
print("relative error:", relative_error)
