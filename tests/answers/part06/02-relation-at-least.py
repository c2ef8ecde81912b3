# names: rank-only-bounded
rank_relation = ">="

def stack_and_pick(H, G, d):
    I = np.eye(G * d)
    A = np.vstack((I,) * (H // G))
    B = np.hstack([I] + [0 * I] * (H // G - 1))
    return A, B
