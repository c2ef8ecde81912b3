rank_relation = "=="

def stack_and_pick(H, G, d):
    W = np.random.randn(G * d, G * d)
    W_tilde = np.tile(W, (H // G, 1))
    A = W_tilde @ W
    B = W @ np.linalg.pinv(W_tilde) + 0.5
    return A, B
