rank_relation = '=='
def stack_and_pick(H, G, d):
    """B takes the mean of the H/G copies, they are all the same"""
    I = np.identity(G*d)
    A = np.concatenate([I]*(H//G), axis=0)
    B = A.T / (H//G)
    return A, B
