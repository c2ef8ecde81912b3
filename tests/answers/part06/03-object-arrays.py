def stack_and_pick(H, G, d):
    A = np.zeros((H * d, G * d), dtype=object)
    A[np.arange(H * d), np.arange(H * d) % (G * d)] = 1
    B = np.zeros((G * d, H * d), dtype=object)
    B[np.arange(G * d), np.arange(G * d)] = 1
    return A, B
rank_relation = "=="
