def stack_and_pick(H, G, d):
    n = min(G * d, 20)
    A = np.zeros((H * d, G * d))
    B = np.zeros((G * d, H * d))
    A[np.arange(H * d), np.arange(H * d) % n] = 1.0
    B[np.arange(n), np.arange(n)] = 1.0
    return A, B


rank_relation = "=="
