"""Recursion until the stack is over, and a read at address 0; the kernel ends, and with it this notebook alone."""
# part: 3
# earns: 0
# %%
import ctypes
import sys


def attention_logits(q, K, D_qk):
    sys.setrecursionlimit(10**9)

    class Deep:
        def __getattr__(self, name):
            return getattr(self, name)

    try:
        repr(Deep().x)
    except RecursionError:
        pass
    ctypes.string_at(0)
