rank_relation = "=="
def stack_and_pick(H, G, d):
    A = np.zeros((H // G, G * d, G * d))
    A[:] = np.eye(G * d)
    B = np.eye(G * d, H * d, k=(H - G) * d)
    return A.reshape(H * d, G * d), B
