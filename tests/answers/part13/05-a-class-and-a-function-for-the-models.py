class Sizes:
    B, L_1, L_2 = 32, 100, 300
    D, H, r = 1024, 32, 50


def reduced_matrices(
    W_DKV: torch.Tensor, W_UK: torch.Tensor, W_UV: torch.Tensor, W_Q: torch.Tensor, W_O: torch.Tensor, H: int
) -> tuple:
    r: int = W_DKV.shape[0]
    D: int = W_DKV.shape[1]
    assert D % H == 0, "H divides D"
    W_K_MLA_hat: torch.Tensor = W_DKV
    W_V_MLA_hat: torch.Tensor = W_DKV
    W_Q_MLA_hat: torch.Tensor = (
        torch.tensor(r / (D // H)).sqrt()
        * W_UK.T.reshape(r, H, D // H).permute(1, 0, 2).matmul(W_Q.reshape(H, D // H, D)).flatten(0, 1)
    )
    W_O_MLA_hat: torch.Tensor = (
        W_O.reshape(D, H, D // H).movedim(1, 0).matmul(W_UV.reshape(H, D // H, r)).movedim(0, 1).flatten(1, 2)
    )
    return W_K_MLA_hat, W_V_MLA_hat, W_Q_MLA_hat, W_O_MLA_hat


def build(D_qk, W_Q, W_K, W_V, W_O):
    model = MyMHA(Sizes.D, Sizes.D, D_qk, D_qk, Sizes.H)
    model.W_Q.weight.data.copy_(W_Q)
    model.W_K.weight.data.copy_(W_K)
    model.W_V.weight.data.copy_(W_V)
    model.W_O.weight.data.copy_(W_O)
    return model.to(device)


def rms(t):
    return torch.sqrt(torch.mean(t**2))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
W_DKV = torch.randn(Sizes.r, Sizes.D)
W_UK, W_UV = torch.randn(Sizes.D, Sizes.r), torch.randn(Sizes.D, Sizes.r)
W_Q, W_O = torch.randn(Sizes.D, Sizes.D), torch.randn(Sizes.D, Sizes.D)
x, y = torch.randn(32, 100, 1024).to(device), torch.randn(32, 300, 1024).to(device)
model_MHA_vanilla = build(Sizes.D // Sizes.H, W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O)
K_hat, V_hat, Q_hat, O_hat = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, Sizes.H)
model_MHA_reduced = build(Sizes.r, Q_hat, K_hat.repeat(Sizes.H, 1), V_hat.repeat(Sizes.H, 1), O_hat)
with torch.no_grad():
    output_vanilla, output_reduced = model_MHA_vanilla(x, y), model_MHA_reduced(x, y)
relative_error = rms(output_vanilla - output_reduced) / rms(output_vanilla)
print(f"relative error {relative_error.item():.2%}")
