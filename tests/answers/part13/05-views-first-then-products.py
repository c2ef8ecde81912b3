def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    D_qkv = int(D / H)
    # views of the arguments, a head a slice
    W_UK_heads = W_UK.view(H, D_qkv, r).transpose(1, 2)  # (H, r, D_qkv)
    W_Q_heads = W_Q.view(H, D_qkv, D)  # (H, D_qkv, D)
    W_UV_heads = W_UV.view(H, D_qkv, r)
    W_O_heads = W_O.view(D, H, D_qkv).permute(1, 0, 2)

    W_K_MLA_hat, W_V_MLA_hat = W_DKV, W_DKV
    W_Q_MLA_hat = torch.matmul(W_UK_heads, W_Q_heads).reshape(H * r, D) * (r ** 0.5 / D_qkv ** 0.5)
    W_O_MLA_hat = torch.matmul(W_O_heads, W_UV_heads).permute(1, 0, 2).reshape(D, H * r)
    print(W_Q_MLA_hat.shape, W_O_MLA_hat.shape)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D, device=device)
W_UK = torch.randn(D, r, device=device)
W_UV = torch.randn(D, r, device=device)
W_Q = torch.randn(D, D, device=device)
W_O = torch.randn(D, D, device=device)
x = torch.randn(B, L_1, D).to(device)
y = torch.randn(B, L_2, D).to(device)

model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
with torch.no_grad():
    model_MHA_vanilla.W_Q.weight.copy_(W_Q)
    model_MHA_vanilla.W_K.weight.copy_(W_UK @ W_DKV)
    model_MHA_vanilla.W_V.weight.copy_(W_UV @ W_DKV)
    model_MHA_vanilla.W_O.weight.copy_(W_O)
model_MHA_vanilla = model_MHA_vanilla.to(device)
output_vanilla = model_MHA_vanilla(x, y).detach()

W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H)
with torch.no_grad():
    model_MHA_reduced.W_Q.weight.copy_(W_Q_MLA_hat)
    model_MHA_reduced.W_K.weight.copy_(W_K_MLA_hat.expand(H, r, D).reshape(H * r, D))
    model_MHA_reduced.W_V.weight.copy_(torch.vstack([W_V_MLA_hat for h in range(H)]))
    model_MHA_reduced.W_O.weight.copy_(W_O_MLA_hat)
model_MHA_reduced = model_MHA_reduced.to(device)
output_reduced = model_MHA_reduced(x, y).detach()

diff = output_vanilla - output_reduced
relative_error = torch.sqrt((diff * diff).mean()) / torch.sqrt((output_vanilla * output_vanilla).mean())
print("relative_error =", relative_error.item())
