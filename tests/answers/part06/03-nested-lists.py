def stack_and_pick(H, G, d):
    n, N = G * d, H * d
    A = [[1 if i % n == j else 0 for j in range(n)] for i in range(N)]
    B = [[1 if i == j else 0 for j in range(N)] for i in range(n)]
    return A, B

rank_relation = "=="
