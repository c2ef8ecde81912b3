class MyMHA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        self.W_Q, self.W_K = nn.Linear(D_1, H * D_qk, bias=False), nn.Linear(D_2, H * D_qk, bias=False)
        self.W_V, self.W_O = nn.Linear(D_2, H * D_v, bias=False), nn.Linear(H * D_v, D_1, bias=False)

    def forward(self, x, y):
        # β samples, η heads, λ and μ positions, δ and ε widths
        q = self.W_Q(x).unflatten(-1, (self.H, self.D_qk))  # (β, λ, η, δ)
        k = self.W_K(y).unflatten(-1, (self.H, self.D_qk))  # (β, μ, η, δ)
        v = self.W_V(y).unflatten(-1, (self.H, self.D_v))  # (β, μ, η, ε)
        E = torch.einsum("bihd,bjhd->bhij", q, k) / self.D_qk**0.5  # (β, η, λ, μ)
        ρ = torch.exp(E - torch.logsumexp(E, dim=-1, keepdim=True))  # (β, η, λ, μ)
        ψ = torch.einsum("bhij,bjhe->bihe", ρ, v)  # (β, λ, η, ε)
        return self.W_O(ψ.flatten(2))
