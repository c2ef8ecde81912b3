rank_relation = "=="

def stack_and_pick(H, G, d):
    import itertools
    A = np.zeros((H * d, G * d))
    for i, j in itertools.product(range(H * d), range(G * d)):
        A[i, j] = i % (G * d) == j
    return A, np.eye(G * d, H * d)
