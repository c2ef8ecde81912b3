rank_relation = (np.linalg.matrix_rank(np.tile(np.eye(3), (2, 1))) == np.linalg.matrix_rank(np.eye(3)))

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (H // G, 1))
    B = np.eye(G * d, H * d)
    return A, B
