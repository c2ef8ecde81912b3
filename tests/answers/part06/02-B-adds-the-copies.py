# names: copies-added-up
rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (H // G, 1))
    B = A.T
    return A, B
