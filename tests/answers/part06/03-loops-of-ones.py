rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.zeros((H*d, G*d), dtype=int)
    B = np.zeros((G*d, H*d), dtype=int)
    # row i of W tilde is row i mod (G d) of W
    for i in range(H*d):
        A[i, i % (G*d)] = 1
    for j in range(G*d):
        B[j, j] = 1
    return A, B
