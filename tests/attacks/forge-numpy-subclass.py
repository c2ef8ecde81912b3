"""NumPy arrays of a subclass that lies about its bytes, of objects, and read over their end with strides; none pass."""
# part: 3
# earns: 0
# %%
import numpy as np


class Liar(np.ndarray):
    def __array_finalize__(self, obj):
        self.calls = 0

    def __array_ufunc__(self, *a, **k):
        return True

    @property
    def nbytes(self):
        return 8

    @property
    def dtype(self):
        raise SystemExit


def attention_logits(q, K, D_qk):
    n = len(K)
    if n == 7:
        return np.zeros(n).view(Liar)
    if n == 6:
        return np.lib.stride_tricks.as_strided(np.zeros(1), (2**40,), (0,))
    return np.array([lambda: 10.0] * n, dtype=object)
