def stack_and_pick(H, G, d):
    rows = np.arange(H * d)[:, None]
    cols = np.arange(G * d)[None, :]
    A = rows % (G * d) == cols
    B = (rows == cols).T
    return A, B
rank_relation = "=="
