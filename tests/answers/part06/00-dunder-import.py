rank_relation = "=="
m = __import__("math")

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (m.floor(H / G), 1))
    return A, np.eye(G * d, H * d)
