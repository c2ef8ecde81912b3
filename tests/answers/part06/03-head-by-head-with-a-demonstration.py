import numpy as np

def pick_head(g, G, d):
    e = np.zeros((d, G*d))
    e[:, g*d:(g+1)*d] = np.eye(d)
    return e

def stack_and_pick(H, G, d):
    A = np.vstack([pick_head(h % G, G, d) for h in range(H)])
    B = np.vstack([pick_head(g, H, d) for g in range(G)])
    return A, B

A, B = stack_and_pick(12, 3, 2)
W = np.random.randn(6, 9)
W_tilde = np.concatenate([W]*4)
print(np.abs(A@W - W_tilde).max(), np.abs(B@W_tilde - W).max())
print("ranks", np.linalg.matrix_rank(W_tilde), np.linalg.matrix_rank(W))
rank_relation = "=="
