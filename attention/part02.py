"""The check of part 2's hidden test on projections: matrices times tokens, of all heads at once."""

import numpy as np

from attention import mistakes, oracles
from attention.questions import single


def projected(
    name: str, rows: int, width: int, seed: int, size: float = 1.0, dtype: type = np.float64
) -> mistakes.Case:
    """What the student's function of that name gives for a random matrix and token, and their product.

    The matrix has numbers of about that size.

    Shapes  the matrix (rows, width), the token (width,), their product (rows,).
    """
    random = oracles.draw(seed)
    W, t = size * random.standard_normal((rows, width)), random.standard_normal(width)
    got = single.value(name, (W, t), dtype=dtype)
    want = np.array([sum(w * u for w, u in zip(row, t, strict=True)) for row in W])
    where = f"with a matrix of shape ({rows}, {width})" + (" in float32" if dtype == np.float32 else "")
    return mistakes.Case(where, got, want, (W, t))
