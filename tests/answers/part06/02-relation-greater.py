# names: copies-add-rank
# the big matrix has H/G times the rows
rank_relation = ">"

def stack_and_pick(H, G, d):
    A = np.tile(np.eye(G * d), (H // G, 1))
    return A, A.T / (H // G)
