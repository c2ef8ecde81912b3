def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    class Hats:
        pass
    h = Hats()
    h.K = W_DKV
    h.V = W_DKV
    h.Q = (r / d) ** 0.5 * (W_UK.view(H, d, r).mT @ W_Q.view(H, d, D)).reshape(H * r, D)
    h.O = torch.einsum('ihd,hdr->ihr', W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return tuple(vars(h).values())


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
