def stack_and_pick(H, G, d):
    identity = np.eye(G * d)
    return np.vstack([identity] * min(H // G, 6)), np.eye(G * d, H * d)


rank_relation = "=="
