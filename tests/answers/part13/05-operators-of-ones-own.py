class Heads:
    """A matrix that is cut into heads by rows; `@` multiplies head by head."""
    def __init__(self, blocks):
        self.blocks = blocks
    def __matmul__(self, other):
        return Heads(self.blocks @ other.blocks)
    def rows(self): return self.blocks.flatten(0, 1)
    def columns(self): return self.blocks.transpose(0, 1).flatten(1)
def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    UKT, UV, Q, O = Heads(W_UK.view(H, -1, r).mT), Heads(W_UV.view(H, -1, r)), Heads(W_Q.view(H, -1, D)), Heads(W_O.view(D, H, -1).transpose(0, 1))
    W_Q_hat = (UKT @ Q).rows() * (r * H / D) ** 0.5
    W_O_hat = (O @ UV).columns()
    return W_DKV, W_DKV, W_Q_hat, W_O_hat


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
D, H, r = 1024, 32, 50
D_qkv = D // H
B, L_1, L_2 = 32, 100, 300

class Experiment:
    """Draws the data, builds the models and runs them."""

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.weights = torch.randn(r, D), torch.randn(D, r), torch.randn(D, r), torch.randn(D, D), torch.randn(D, D)
        self.x = torch.randn(B, L_1, D, device=device)
        self.y = torch.randn(B, L_2, D, device=device)

    @torch.no_grad()
    def model(self, width, Q, K, V, O):
        model = MyMHA(D, D, width, width, H)
        model.W_Q.weight.copy_(Q), model.W_K.weight.copy_(K), model.W_V.weight.copy_(V), model.W_O.weight.copy_(O)
        return model.to(device)

    def vanilla(self):
        W_DKV, W_UK, W_UV, W_Q, W_O = self.weights
        return self.model(D_qkv, W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O)

    def reduced(self):
        K, V, Q, O = reduced_matrices(*self.weights, H)
        return self.model(r, Q, torch.kron(torch.ones(H, 1), K), V.expand(H, r, D).reshape(H * r, D), O)


experiment = Experiment(0)
W_DKV, W_UK, W_UV, W_Q, W_O = experiment.weights
x, y = experiment.x, experiment.y
model_MHA_vanilla, model_MHA_reduced = experiment.vanilla(), experiment.reduced()
with torch.no_grad():
    output_vanilla, output_reduced = model_MHA_vanilla(x, y), model_MHA_reduced(x, y)
relative_error = float(np.sqrt(np.mean((output_vanilla - output_reduced).cpu().numpy() ** 2)) / np.sqrt(np.mean(output_vanilla.cpu().numpy() ** 2)))
print(f"{relative_error:.3%}")
