# names: rows-repeated
rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.repeat(np.eye(G * d), H // G, axis=0)
    B = np.eye(G * d, H * d)
    return A, B
