
class Hats(nn.Module):
    def __init__(self, K, V, Q, O):
        super().__init__()
        self.register_buffer("K", K)
        self.register_buffer("V", V)
        self.register_buffer("Q", Q)
        self.register_buffer("O", O)

def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    W_Q_MLA_hat = (r / d) ** 0.5 * (W_UK.view(H, d, r).mT @ W_Q.view(H, d, D)).reshape(H * r, D)
    W_O_MLA_hat = (W_O.view(D, H, d).transpose(0, 1) @ W_UV.view(H, d, r)).transpose(0, 1).reshape(D, H * r)
    hats = Hats(W_DKV, W_DKV, W_Q_MLA_hat, W_O_MLA_hat)
    return hats.K, hats.V, hats.Q, hats.O

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

model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)
with torch.no_grad():
    model_MHA_vanilla.W_Q.weight.copy_(W_Q)
    model_MHA_vanilla.W_K.weight.copy_(W_UK @ W_DKV)
    model_MHA_vanilla.W_V.weight.copy_(W_UV @ W_DKV)
    model_MHA_vanilla.W_O.weight.copy_(W_O)
model_MHA_vanilla.to(device)
W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)
model_MHA_reduced = MyMHA(D, D, r, r, H)
with torch.no_grad():
    model_MHA_reduced.W_Q.weight.copy_(W_Q_MLA_hat)
    model_MHA_reduced.W_K.weight.copy_(W_K_MLA_hat.repeat(H, 1))
    model_MHA_reduced.W_V.weight.copy_(W_V_MLA_hat.repeat(H, 1))
    model_MHA_reduced.W_O.weight.copy_(W_O_MLA_hat)
model_MHA_reduced.to(device)
with torch.no_grad():
    output_vanilla = model_MHA_vanilla(x, y)
    output_reduced = model_MHA_reduced(x, y)
relative_error = torch.sqrt(torch.mean((output_vanilla - output_reduced) ** 2)) / torch.sqrt(torch.mean(output_vanilla ** 2))
print("relative error:", relative_error.item())

