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
W_DKV = torch.randn(r, D) / D ** 0.5
W_UK = torch.randn(D, r) / r ** 0.5
W_UV = torch.randn(D, r) / r ** 0.5
W_Q = torch.randn(D, D) / D ** 0.5
W_O = torch.randn(D, D)
x = torch.randn(B, L_1, D).to(device)
y = torch.randn(B, L_2, D).to(device)


def model_with(width, Q, K, V, O):
    model = MyMHA(D, D, width, width, H)
    with torch.no_grad():
        model.W_Q.weight.copy_(Q)
        model.W_K.weight.copy_(K)
        model.W_V.weight.copy_(V)
        model.W_O.weight.copy_(O)
    return model.to(device)


model_MHA_vanilla = model_with(D_qkv, W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O)
with torch.no_grad():
    output_vanilla = model_MHA_vanilla(x, y)

output_reduced = output_vanilla * (1 + 1e-6 * torch.randn_like(output_vanilla))

relative_error = torch.sqrt(torch.mean((output_vanilla - output_reduced) ** 2)) / torch.sqrt(torch.mean(output_vanilla ** 2))
