def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    Q = (torch.einsum if H else np.einsum)("hdr,hde->hre", W_UK.view(H, d, r), W_Q.view(H, d, D)).reshape(H * r, D)
    Q = (r / d) ** 0.5 * Q
    O = torch.einsum("ehd,hdr->ehr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, Q, O


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK, W_UV = torch.randn(D, r), torch.randn(D, r)
W_Q, W_O = torch.randn(D, D), torch.randn(D, D)
x = torch.randn(B, L_1, D).to(device)
y = torch.randn(B, L_2, D).to(device)


def set_weights(model, W_Q, W_K, W_V, W_O):
    with torch.no_grad():
        model.W_Q.weight.copy_(W_Q)
        model.W_K.weight.copy_(W_K)
        model.W_V.weight.copy_(W_V)
        model.W_O.weight.copy_(W_O)


W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
set_weights(model_MHA_vanilla, W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O)
model_MHA_vanilla.to(device)
model_MHA_reduced = MyMHA(D, D, r, r, H)
set_weights(model_MHA_reduced, W_Q_MLA_hat, W_K_MLA_hat.repeat(H, 1), W_V_MLA_hat.repeat(H, 1), W_O_MLA_hat)
model_MHA_reduced.to(device)
with torch.no_grad():
    output_vanilla = model_MHA_vanilla(x, y)
    output_reduced = model_MHA_reduced(x, y)
relative_error = ((output_vanilla - output_reduced) ** 2).mean().sqrt() / (output_vanilla**2).mean().sqrt()
print(f"relative_error = {relative_error:.1e}")
