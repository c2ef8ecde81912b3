# names: factor-forgotten
def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_K_MLA_hat = W_DKV
    W_V_MLA_hat = W_DKV
    W_Q_MLA_hat = torch.einsum("hdr,hdc->hrc", W_UK.view(H, d, r), W_Q.view(H, d, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
torch.manual_seed(4)
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q = torch.randn(D, D)
W_O = torch.randn(D, D)
x = 5 * torch.randn(B, L_1, D).to(device)
y = 5 * torch.randn(B, L_2, D).to(device)

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
