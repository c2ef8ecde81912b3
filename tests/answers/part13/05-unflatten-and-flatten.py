def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    rank = W_DKV.shape[0]
    width = W_DKV.shape[1] // H
    factor = torch.sqrt(torch.tensor(rank / width))
    W_Q_MLA_hat = (factor * (W_UK.unflatten(0, (H, width)).mT @ W_Q.unflatten(0, (H, width)))).flatten(0, 1)
    W_O_MLA_hat = (W_O.unflatten(1, (H, width)).transpose(0, 1) @ W_UV.unflatten(0, (H, width))).transpose(0, 1).flatten(1)
    return [W_DKV, W_DKV, W_Q_MLA_hat, W_O_MLA_hat]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
torch.manual_seed(0)
W_DKV = torch.randn(r, D)
W_UK = torch.randn(D, r)
W_UV = torch.randn(D, r)
W_Q = torch.randn(D, D)
W_O = torch.randn(D, D)
x = torch.randn(B, L_1, D).to(device)
y = torch.randn(B, L_2, D).to(device)

for name, weight in dict(W_Q=W_Q, W_K=W_UK @ W_DKV, W_V=W_UV @ W_DKV, W_O=W_O).items():
    weights = {**globals().get("weights", {}), f"{name}.weight": weight}
model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
model_MHA_vanilla.load_state_dict(weights)
model_MHA_vanilla = model_MHA_vanilla.to(device)

K, V, Q, O = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H)
model_MHA_reduced.load_state_dict({"W_Q.weight": Q, "W_K.weight": K.tile(H, 1), "W_V.weight": V.tile(H, 1), "W_O.weight": O})
model_MHA_reduced = model_MHA_reduced.to(device)

with torch.inference_mode():
    output_vanilla = model_MHA_vanilla(x, y)
    output_reduced = model_MHA_reduced(x, y)
relative_error = float(((output_vanilla - output_reduced).square().mean() / output_vanilla.square().mean()) ** 0.5)
print(f"{relative_error:.3e}")
