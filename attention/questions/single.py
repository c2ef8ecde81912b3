"""What a student's function gives for tensors of either dtype; a student's own notebook computes in float32."""

import numpy as np

from attention.oracles import Array
from grading.bridge import probe


def value(name: str, arrays: tuple[Array, ...], *others: object, dtype: type) -> object:
    """A student's function's value for these arrays as tensors, and for other arguments, or a Reason.

    `dtype` is np.float64 or np.float32.
    """
    given = [*(probe.tensor(array.astype(dtype)) for array in arrays), *others]
    return in_float32(name, given) if dtype == np.float32 else probe.call(name, *given)


@probe.remote
def in_float32(name, args):
    """A function's value for these arguments, with torch's default dtype as it is in a notebook."""
    torch.set_default_dtype(torch.float32)
    return globals()[name](*args)
