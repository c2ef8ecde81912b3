def stack_and_pick(H, G, d):
    A = np.vstack([np.eye(G * d) for _ in range(H // G)])
    return A, np.linalg.pinv(A)

rank_relation = "=="
