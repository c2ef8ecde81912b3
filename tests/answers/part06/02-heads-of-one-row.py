# as if d were 1, A only of the heads
rank_relation = "=="
def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G), (H // G, d))
    return A, np.eye(G * d, H * d)
