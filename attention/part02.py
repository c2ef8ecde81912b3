"""The check of part 2's hidden test on projections: matrices times tokens, of all heads at once."""

import numpy as np

from attention import mistakes, oracles
from grading.bridge import probe


def projected(name: str, rows: int, width: int, seed: int, size: float = 1.0) -> mistakes.Case:
    """What the student's function of that name gives for a random matrix and token, and their product.

    The matrix has numbers of about that size.

    Shapes  the matrix (rows, width), the token (width,), their product (rows,).
    """
    random = oracles.draw(seed)
    W, t = size * random.standard_normal((rows, width)), random.standard_normal(width)
    got = probe.call(name, probe.tensor(W), probe.tensor(t))
    want = np.array([sum(w * u for w, u in zip(row, t, strict=True)) for row in W])
    return mistakes.Case(f"with a matrix of shape ({rows}, {width})", got, want, (W, t))
