def stack_and_pick(H, G, d):
    n = G * d
    copies = H // G
    A = np.kron(np.ones((copies, 1)), np.eye(n))
    first = np.zeros((1, copies))
    first[0, 0] = 1
    B = np.kron(first, np.eye(n))
    return A, B

rank_relation = "=="
