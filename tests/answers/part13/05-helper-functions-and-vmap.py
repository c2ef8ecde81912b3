def query_of_a_head(U, W):
    """U (d, r), W (d, D) -> (r, D)"""
    return U.T @ W


def output_of_a_head(W, U):
    """W (D, d), U (d, r) -> (D, r)"""
    return W @ U


def heads(W, H):
    return W.reshape(H, -1, W.shape[-1])


def stacked_queries(W_UK, W_Q, H, factor):
    blocks = torch.vmap(query_of_a_head)(heads(W_UK, H), heads(W_Q, H))
    blocks = blocks * factor
    return blocks.reshape(-1, W_Q.shape[1])


def stacked_outputs(W_O, W_UV, H):
    blocks = torch.vmap(output_of_a_head, in_dims=(1, 0), out_dims=1)(W_O.reshape(len(W_O), H, -1), heads(W_UV, H))
    return blocks.reshape(len(W_O), -1)


def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    factor = (r / (D / H)) ** 0.5
    W_Q_MLA_hat = stacked_queries(W_UK, W_Q, H, factor)
    W_O_MLA_hat = stacked_outputs(W_O, W_UV, H)
    return W_DKV, W_DKV, W_Q_MLA_hat, W_O_MLA_hat


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
