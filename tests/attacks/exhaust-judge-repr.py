"""A pair of arrays in place of a text, which neither equals nor differs; an array whose repr takes half a minute."""
# part: 6
# earns: 0
# %%
import numpy as np

rank_relation = np.zeros((5,) * 8, dtype="u1")


def stack_and_pick(H, G, d):
    if G == 1:
        return np.zeros((5,) * 8, dtype="u1"), {(2**61 - 1) * k: k for k in range(50_000)}
    return [np.zeros(3), [np.zeros(3)]], (np.zeros(2), "x" * 900_000)
