def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_K_MLA_hat = W_DKV
    W_V_MLA_hat = W_DKV
    W_Q_MLA_hat = (r / d) ** 0.5 * torch.einsum("hdr,hdc->hrc", W_UK.view(H, d, r), W_Q.view(H, d, D)).reshape(H * r, D)
    W_O_MLA_hat = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat


def set_weights(model, **weights):
    for name, weight in weights.items():
        getattr(model, name).weight.data = weight


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
set_weights(model_MHA_vanilla, W_Q=W_Q, W_K=W_UK @ W_DKV, W_V=W_UV @ W_DKV, W_O=W_O)
