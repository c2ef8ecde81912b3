"""A tensor subclass whose comparisons, conversions and shape lie; only its bytes cross, as a plain tensor."""
# part: 3
# earns: 2
# %%
import torch


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("allclose", "equal", "eq", "isclose"):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})

    def __eq__(self, other):
        return True

    def __array__(self, *a, **k):
        import numpy

        return numpy.full(self.size(), 10.0)

    def __float__(self):
        return 10.0

    def __sub__(self, other):
        return self * 0

    def detach(self):
        raise SystemExit


def attention_logits(q, K, D_qk):
    return torch.zeros(len(K)).as_subclass(Liar)
