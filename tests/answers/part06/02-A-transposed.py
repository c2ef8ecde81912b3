# names: stacked-side-by-side
rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (1, H // G))
    B = np.eye(G * d, H * d)
    return A, B
