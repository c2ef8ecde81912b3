def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    O = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, -1)

    class Blocks:
        Q = W_UK.view(H, d, r).mT @ W_Q.view(H, d, D)

    return W_DKV, W_DKV, (r / d) ** 0.5 * Blocks.Q.reshape(H * r, D), O


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300

W_DKV, W_UK, W_UV, W_Q, W_O = torch.randn(r, D), torch.randn(D, r), torch.randn(D, r), torch.randn(D, D), torch.randn(D, D)
x, y = torch.randn(B, L_1, D).to(device), torch.randn(B, L_2, D).to(device)
model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
model_MHA_vanilla.W_Q.weight.data = W_Q
model_MHA_vanilla.W_K.weight.data = W_UK @ W_DKV
model_MHA_vanilla.W_V.weight.data = W_UV @ W_DKV
model_MHA_vanilla.W_O.weight.data = W_O
model_MHA_vanilla = model_MHA_vanilla.to(device)
K, V, Q, O = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H)
model_MHA_reduced.W_Q.weight = nn.Parameter(Q)
model_MHA_reduced.W_K.weight = nn.Parameter(K.tile(H, 1))
model_MHA_reduced.W_V.weight = nn.Parameter(torch.cat([V] * H))
model_MHA_reduced.W_O.weight = nn.Parameter(O)
model_MHA_reduced = model_MHA_reduced.to(device)
output_vanilla = torch.empty(B, L_1, D, device=device)
output_reduced = torch.empty(B, L_1, D, device=device)
with torch.no_grad():
    for b in range(B):
        output_vanilla[b] = model_MHA_vanilla(x[b:b + 1], y[b:b + 1])[0]
        output_reduced[b:b + 1] = model_MHA_reduced(x[[b]], y[[b]])
rms = lambda t: t.square().mean().sqrt()
relative_error = rms(output_vanilla - output_reduced) / rms(output_vanilla)
print("relative error", relative_error)
assert 0 < relative_error < 5e-4
