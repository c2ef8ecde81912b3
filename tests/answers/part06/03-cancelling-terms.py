rank_relation = "=="

def stack_and_pick(H, G, d):
    n, m = G * d, H // G
    A = np.tile(np.eye(n), (m, 1))
    B = np.zeros((n, H * d))
    B[:, :n] += np.eye(n)
    B[:, :n] += 3
    B[:, -n:] -= 3
    return A, B
