# names: blocks-repeated
rank_relation = "=="

def stack_and_pick(H, G, d):
    A = np.zeros((H * d, G * d))
    for h in range(H):
        g = h // (H // G)
        A[h*d:(h+1)*d, g*d:(g+1)*d] = np.eye(d)
    B = np.hstack([np.eye(G * d), np.zeros((G * d, (H - G) * d))])
    return A, B
