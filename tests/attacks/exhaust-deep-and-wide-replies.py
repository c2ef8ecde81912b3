"""Values nested in one another without end, of a million pieces, of huge numbers, of axes without numbers; all are refused."""
# part: 3
# earns: 0
# %%
import numpy as np
import torch


def attention_logits(q, K, D_qk):
    if len(K) == 7:
        ring = []
        ring.append(ring)
        return ring
    if len(K) == 6:
        return [0] * 10**7
    if len(K) == 3:
        return 10 ** (10**6)
    return torch.zeros(1).expand(2**31, 2**20), np.empty((0, 2**40)), {i: [i] for i in range(10**6)}
