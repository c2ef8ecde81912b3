@torch.jit.script
def reduced_matrices(W_DKV: torch.Tensor, W_UK: torch.Tensor, W_UV: torch.Tensor, W_Q: torch.Tensor, W_O: torch.Tensor, H: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    r, D = W_DKV.size(0), W_DKV.size(1)
    d = D // H
    Q = (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D) * (float(r) / float(d)) ** 0.5
    O = torch.einsum("ihd,hdr->ihr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, Q, O


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q = torch.randn(D, D)
W_O = torch.randn(D, D)
x = torch.randn(B, L_1, D)
x = x.to(device)
y = torch.randn(B, L_2, D)
y = y.to(device)
model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
b1 = W_UK @ W_DKV
b2 = W_UV @ W_DKV
model_MHA_vanilla.W_Q.weight = torch.nn.Parameter(W_Q)
model_MHA_vanilla.W_K.weight = torch.nn.Parameter(b1)
model_MHA_vanilla.W_V.weight = torch.nn.Parameter(b2)
model_MHA_vanilla.W_O.weight = torch.nn.Parameter(W_O)
model_MHA_vanilla.to(device)
output_vanilla = model_MHA_vanilla(x, y)
c1, c2, c3, c4 = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
c5 = torch.cat([c1, c1, c1, c1, c1, c1, c1, c1] * 4)
c6 = torch.cat([c2, c2, c2, c2, c2, c2, c2, c2] * 4)
model_MHA_reduced = MyMHA(D, D, r, r, H)
model_MHA_reduced.W_Q.weight = torch.nn.Parameter(c3)
model_MHA_reduced.W_K.weight = torch.nn.Parameter(c5)
model_MHA_reduced.W_V.weight = torch.nn.Parameter(c6)
model_MHA_reduced.W_O.weight = torch.nn.Parameter(c4)
model_MHA_reduced.to(device)
output_reduced = model_MHA_reduced(x, y)
e1 = torch.mean((output_vanilla - output_reduced) ** 2)
e2 = torch.sqrt(e1)
e3 = torch.mean(output_vanilla ** 2)
e4 = torch.sqrt(e3)
relative_error = e2 / e4
print(relative_error)
