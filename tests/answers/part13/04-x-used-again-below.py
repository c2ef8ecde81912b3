def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_Q_MLA_hat = (r / d) ** 0.5 * (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("ihd,hdr->ihr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, W_Q_MLA_hat, W_O_MLA_hat


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK, W_UV = torch.randn(D, r), torch.randn(D, r)
W_Q, W_O = torch.randn(D, D), torch.randn(D, D)
x = torch.randn(B, L_1, D, device=device)
y = torch.randn(B, L_2, D, device=device)

model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H).to(device)
model_MHA_vanilla.W_Q.weight.data = W_Q.to(device)
model_MHA_vanilla.W_K.weight.data = (W_UK @ W_DKV).to(device)
model_MHA_vanilla.W_V.weight.data = (W_UV @ W_DKV).to(device)
model_MHA_vanilla.W_O.weight.data = W_O.to(device)
K, V, Q, O = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H).to(device)
model_MHA_reduced.W_Q.weight.data = Q.to(device)
model_MHA_reduced.W_K.weight.data = torch.cat([K] * H).to(device)
model_MHA_reduced.W_V.weight.data = torch.cat([V] * H).to(device)
model_MHA_reduced.W_O.weight.data = O.to(device)
with torch.inference_mode():
    output_vanilla = model_MHA_vanilla(x, y)
    output_reduced = model_MHA_reduced(x, y)
relative_error = (torch.norm(output_vanilla - output_reduced) / torch.norm(output_vanilla)).item()
print(relative_error)
# %%
import torch.nn.functional as F
print(F.mse_loss(output_reduced, output_vanilla))
assert relative_error < 5e-4
# %%
x = torch.linspace(0, 1, 50)
print(x.mean())
