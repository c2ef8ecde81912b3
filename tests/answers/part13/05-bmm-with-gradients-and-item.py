def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    (r, D) = W_DKV.size()
    scale = np.sqrt(r / (D / H))
    K = W_DKV.clone()
    V = W_DKV.clone()
    Q = torch.bmm(W_UK.reshape(H, D // H, r).permute(0, 2, 1), W_Q.reshape(H, D // H, D)).reshape(-1, D) * scale
    O = torch.bmm(
        W_O.reshape(D, H, D // H).permute(1, 0, 2),
        W_UV.reshape(H, D // H, r),
    ).permute(1, 0, 2).reshape(D, H * r)
    return K, V, Q, O


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q = torch.randn(D, D)
W_O = torch.randn(D, D)
x = torch.randn(B, L_1, D, device=device)
y = torch.randn(B, L_2, D, device=device)

model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H).to(device)
model_MHA_vanilla.W_Q.weight = nn.Parameter(W_Q.to(device))
model_MHA_vanilla.W_K.weight = nn.Parameter((W_UK @ W_DKV).to(device))
model_MHA_vanilla.W_V.weight = nn.Parameter((W_UV @ W_DKV).to(device))
model_MHA_vanilla.W_O.weight = nn.Parameter(W_O.to(device))
output_vanilla = model_MHA_vanilla(x, y)

W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H).to(device)
model_MHA_reduced.W_Q.weight = nn.Parameter(W_Q_MLA_hat.to(device))
model_MHA_reduced.W_K.weight = nn.Parameter(torch.cat([W_K_MLA_hat] * H).to(device))
model_MHA_reduced.W_V.weight = nn.Parameter(torch.cat([W_V_MLA_hat] * H).to(device))
model_MHA_reduced.W_O.weight = nn.Parameter(W_O_MLA_hat.to(device))
output_reduced = model_MHA_reduced(x, y)

relative_error = (torch.norm(output_vanilla - output_reduced) / torch.norm(output_vanilla)).item()
print(relative_error)
