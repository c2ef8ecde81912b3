def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    O = torch.einsum("ihd->hid", W_O.reshape(D, H, D // H))
    U = torch.einsum("hdr->hrd", W_UK.reshape(H, D // H, r))
    W_K_MLA_hat, *_ = W_V_MLA_hat, _ = W_DKV, W_DKV
    W_Q_MLA_hat = (r * H / D) ** 0.5 * torch.einsum("hrd,hdj->hrj", U, W_Q.reshape(H, D // H, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("hid,hdr->ihr", O, W_UV.reshape(H, D // H, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300
W_DKV = torch.randn(r, D)
W_UK, W_UV = torch.randn(D, r), torch.randn(D, r)
W_Q, W_O = torch.randn(D, D), torch.randn(D, D)
x, y = torch.randn(B, L_1, D, device=device), torch.randn(B, L_2, D, device=device)



W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
model_MHA_vanilla.load_state_dict({"W_Q.weight": W_Q, "W_K.weight": W_UK @ W_DKV, "W_V.weight": W_UV @ W_DKV, "W_O.weight": W_O})
model_MHA_reduced = MyMHA(D, D, r, r, H)
model_MHA_reduced.load_state_dict({"W_Q.weight": W_Q_MLA_hat, "W_K.weight": W_K_MLA_hat.tile(H, 1), "W_V.weight": torch.cat([W_V_MLA_hat] * H), "W_O.weight": W_O_MLA_hat})
with torch.inference_mode():
    output_vanilla = model_MHA_vanilla.to(device)(x, y)
    output_reduced = model_MHA_reduced.to(device)(x, y)
relative_error = torch.linalg.norm(output_vanilla - output_reduced) / torch.linalg.norm(output_vanilla)
print(f"{relative_error = :.2e}")
