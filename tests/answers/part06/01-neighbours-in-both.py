# names: blocks-repeated
rank_relation = "=="

def stack_and_pick(H, G, d):
    m = H // G
    A = np.kron(np.eye(G), np.kron(np.ones((m, 1)), np.eye(d)))
    B = A.T / m
    return A, B
