# names: width-forgotten
rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G), (H // G, 1))
    B = np.eye(G, H)
    return A, B
