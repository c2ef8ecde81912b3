
class MLA:
    """The vanilla matrices, which know their reduced form."""
    __slots__ = ("W_DKV", "W_UK", "W_UV", "W_Q", "W_O", "H")
    def __init__(self, *args):
        self.W_DKV, self.W_UK, self.W_UV, self.W_Q, self.W_O, self.H = args
    @property
    def r(self): return self.W_DKV.shape[0]
    @property
    def D(self): return self.W_DKV.shape[1]
    @property
    def d(self): return self.D // self.H
    @property
    def K_hat(self): return self.W_DKV
    @property
    def V_hat(self): return self.W_DKV
    @property
    def Q_hat(self):
        UK = self.W_UK.view(self.H, self.d, self.r)
        Q = self.W_Q.view(self.H, self.d, self.D)
        return (self.r / self.d) ** 0.5 * torch.einsum("hcs,hcj->hsj", UK, Q).flatten(0, 1)
    @property
    def O_hat(self):
        return torch.einsum("ihc,hcs->ihs", self.W_O.view(self.D, self.H, self.d), self.W_UV.view(self.H, self.d, self.r)).flatten(1)

def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    mla = MLA(W_DKV, W_UK, W_UV, W_Q, W_O, H)
    return mla.K_hat, mla.V_hat, mla.Q_hat, mla.O_hat

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

