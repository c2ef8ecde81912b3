# names: rank-only-bounded
rank_relation = "<="

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (H // G, 1))
    B = np.eye(G * d, H * d)
    return A, B
