rank_relation = "=="

def stack_and_pick(H, G, d):
    return np.tile(np.eye(G * d), (H // G, 1))
