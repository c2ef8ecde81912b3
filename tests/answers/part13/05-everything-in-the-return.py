def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    return (
        W_DKV,
        W_DKV,
        (H * r / D) ** 0.5 * torch.einsum("hir,hij->hrj", W_UK.reshape(H, -1, r), W_Q.reshape(H, -1, D)).reshape(-1, D),
        torch.einsum("jhi,hir->jhr", W_O.reshape(D, H, -1), W_UV.reshape(H, -1, r)).reshape(D, -1),
    )

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q, W_O = torch.randn(2, D, D)
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

difference = (output_vanilla - output_reduced).cpu().numpy()
relative_error = np.sqrt(np.mean(difference ** 2)) / np.sqrt(np.mean(output_vanilla.cpu().numpy() ** 2))
print("relative_error", relative_error)
