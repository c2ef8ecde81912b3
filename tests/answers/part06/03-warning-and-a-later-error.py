import torch
rank_relation = "=="

def stack_and_pick(H, G, d):
    np.float64(1) / np.float64(0)
    A = np.r_[tuple([np.eye(G*d)] * (H//G))]
    A.shape = (H*d, G*d)
    B = np.linalg.lstsq(A, np.eye(H*d), rcond=None)[0]
    return A, B

stack_and_pick(4, 2)
