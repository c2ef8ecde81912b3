r_MLA = G * d + 0

def factor_gqa(W, n_heads):
    """any invertible mix of the latent numbers is as good"""
    r, D = W.shape
    mix = 2.0 * np.eye(r)[::-1]
    back = 0.5 * np.eye(r)[::-1]
    W *= 1.0          # changes nothing
    return np.vstack((mix,) * (D // r)), back @ W

# a try
A, B = factor_gqa(np.random.rand(6, 18), 9)
print(np.abs(A @ B).mean())
