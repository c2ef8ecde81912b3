"""Usual mistakes in the reduced form: parts 12 and 13, in NumPy and float64.

The first matrix of a head h, W_UK_h (d, r), is the block of rows h*d to (h+1)*d of W_UK (D, r); so it is with W_UV and
W_Q (D, D); of W_O (D, D) it is the block of columns. What is right is a factor of sqrt(r/d) in one of Q and K.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from attention.oracles import Array, gqa_fast

Four = tuple[Array, Array, Array, Array]
# What stands in the place of the factor, for D, H and r.
FACTORS: dict[str, Callable[[int, int, int], float]] = {
    "factor-forgotten": lambda D, H, r: 1.0,
    "factor-upside-down": lambda D, H, r: math.sqrt(D / H / r),
    "factor-squared": lambda D, H, r: r * H / D,
    "factor-with-the-heads": lambda D, H, r: math.sqrt(r / H),
    "factor-with-the-full-width": lambda D, H, r: math.sqrt(r / D),
    "factor-of-one-size": lambda D, H, r: math.sqrt(50 / 32),
    "factor-cut-off": lambda D, H, r: math.sqrt(r * H // D),
    "opposite-sign": lambda D, H, r: -math.sqrt(r * H / D),
}


def scores(W_DKV: Array, W_UK: Array, W_Q: Array, x: Array, y: Array, factor: Callable | None = None) -> Array:
    """What identity (1) of part 12 has on its right side, with another factor in the query.

    Shapes  W_DKV (r, D), W_UK (H, d, r), W_Q (H, d, D), x (L_1, D), y (L_2, D); returns (H, L_1, L_2).
    Units   none.
    Errors  none.
    Source  the problem, part 12; without `factor` it is right, which tests/ check against the left side.
    """
    (r, D), H = W_DKV.shape, len(W_Q)
    gain = factor(D, H, r) if factor else math.sqrt(r * H / D)
    return np.stack([gain * x @ (W_UK[h].T @ W_Q[h]).T @ (y @ W_DKV.T).T / math.sqrt(r) for h in range(H)])


def outputs(
    W_DKV: Array, W_O: Array, W_UV: Array, y: Array, alpha: Array, factor: Callable = lambda D, H, r: 1.0
) -> Array:
    """What identity (2) of part 12 has on its right side, times a factor.

    Shapes  W_DKV (r, D), W_O (H, D, d), W_UV (H, d, r), y (L_2, D), alpha (H, L_1, L_2); returns (L_1, D).
    Units   none.
    Errors  none.
    Source  the problem, part 12; without `factor` it is right.
    """
    (r, D), H = W_DKV.shape, len(W_O)
    return factor(D, H, r) * sum(alpha[h] @ (y @ W_DKV.T) @ (W_O[h] @ W_UV[h]).T for h in range(H))


SCORES = {key: partial(scores, factor=factor) for key, factor in FACTORS.items()}
OUTPUTS = {
    "factor-in-the-output": partial(outputs, factor=lambda D, H, r: math.sqrt(r * H / D)),
    "mean-over-the-heads": partial(outputs, factor=lambda D, H, r: 1 / H),
}


def hats(
    W: tuple[Array, ...],
    H: int,
    *,
    factor: Callable | None = None,
    blocks: Callable[[Array, int], Array] | None = None,
    columns: Callable[[Array, int], Array] | None = None,
    exchanged: bool = False,
    stack_Q: Callable[[Array], Array] = np.concatenate,
    stack_O: Callable[[Array], Array] = lambda heads: np.concatenate(heads, axis=1),
) -> Four:
    """The four matrices of part 13 with steps to replace; without replacements they are right.

    Shapes  W is W_DKV (r, D), W_UK (D, r), W_UV (D, r), W_Q (D, D), W_O (D, D); returns (r, D), (r, D), (H*r, D),
            (D, H*r). `blocks(M, H)` gives (H, d, width), `columns(W_O, H)` (H, D, d); `stack_Q` takes (H, r, D),
            `stack_O` (H, D, r).
    Units   none.
    Errors  ValueError from NumPy if H does not divide D.
    Source  the problem, part 12, head by head.
    """
    W_DKV, W_UK, W_UV, W_Q, W_O = W
    (r, D), d = W_DKV.shape, len(W_Q) // H
    if exchanged:
        W_UK, W_UV = W_UV, W_UK
    blocks = blocks or (lambda M, H: M.reshape(H, d, -1))
    up_K, up_V, queries = (blocks(M, H) for M in (W_UK, W_UV, W_Q))
    heads = columns(W_O, H) if columns else np.stack([W_O[:, h * d : (h + 1) * d] for h in range(H)])
    gain = factor(D, H, r) if factor else math.sqrt(r / d)
    Q = np.stack([gain * up_K[h].T @ queries[h] for h in range(H)])  # (H, r, D)
    O_hat = np.stack([heads[h] @ up_V[h] for h in range(H)])  # (H, D, r)
    return W_DKV, W_DKV, stack_Q(Q), stack_O(O_hat)


def _interleaved(M: Array, H: int) -> Array:
    """Head h takes every H-th row, from row h on."""
    return M.reshape(-1, H, M.shape[1]).swapaxes(0, 1)


def _not_by_head(W: tuple[Array, ...], H: int) -> Four:
    W_DKV, W_UK, _, W_Q, _ = W
    K, V, _, O_hat = hats(W, H)
    return K, V, np.concatenate([math.sqrt(len(W_DKV) * H / len(W_Q)) * W_UK.T @ W_Q] * H), O_hat


def _factor_in_the_output(W: tuple[Array, ...], H: int) -> Four:
    K, V, Q, O_hat = hats(W, H)
    return K, V, Q, math.sqrt(len(W[0]) * H / len(W[3])) * O_hat


HATS: dict[str, Callable[[tuple[Array, ...], int], Four]] = {
    **{key: partial(hats, factor=factor) for key, factor in FACTORS.items() if key in (
        "factor-forgotten", "factor-upside-down", "factor-squared", "factor-with-the-heads", "factor-of-one-size")},
    "factor-in-the-output": _factor_in_the_output,
    "up-projections-exchanged": partial(hats, exchanged=True),
    "heads-split-interleaved": partial(
        hats, blocks=_interleaved, columns=lambda W_O, H: W_O.reshape(len(W_O), -1, H).transpose(2, 0, 1)
    ),
    "output-cut-into-rows": partial(hats, columns=lambda W_O, H: W_O.reshape(H, len(W_O), -1)),
    "output-not-regrouped": partial(hats, stack_O=lambda heads: heads.reshape(heads.shape[1], -1)),
    "query-not-by-head": _not_by_head,
    "query-rows-by-latent": partial(hats, stack_Q=lambda Q: Q.swapaxes(0, 1).reshape(-1, Q.shape[2])),
    "heads-in-another-order": partial(hats, stack_Q=lambda Q: np.concatenate(Q[::-1])),
}  # fmt: skip


def attended(four: Four, x: Array, y: Array, H: int) -> Array:
    """The output of the reduced model: all heads read the same keys and values.

    Shapes  four as `hats` gives them; x (B, L_1, D), y (B, L_2, D); returns (B, L_1, D).
    Units   none.
    Errors  as oracles.gqa_fast.
    Source  part 13; repeated H times, K and V are those of G = 1.
    """
    K_hat, V_hat, Q_hat, O_hat = (np.asarray(matrix, dtype=x.dtype) for matrix in four)
    with np.errstate(all="ignore"):  # what a student's matrices overflow to is found out by comparison
        return gqa_fast({"W_Q": Q_hat, "W_K": K_hat, "W_V": V_hat, "W_O": O_hat}, x, y, H, 1)


def _reduced(four: Callable[[tuple[Array, ...], int], Four], W: tuple[Array, ...], x: Array, y: Array, H: int) -> Array:
    return attended(four(W, H), x, y, H)


REDUCED = {key: partial(_reduced, four) for key, four in HATS.items()}


def rows_of_the_key_repeated(W: tuple[Array, ...], x: Array, y: Array, H: int) -> Array:
    """The reduced model's output where each row of K and V is repeated H times before the next one comes.

    Shapes  as attended, from the five matrices of part 13.
    Units   none.
    Errors  as oracles.gqa_fast.
    Source  ours: np.repeat in place of np.tile.
    """
    K_hat, V_hat, Q_hat, O_hat = hats(W, H)
    K_hat, V_hat = (np.repeat(M, H, axis=0).astype(x.dtype) for M in (K_hat, V_hat))
    return gqa_fast({"W_Q": Q_hat, "W_K": K_hat, "W_V": V_hat, "W_O": O_hat}, x, y, H, H)


def _size(numbers: Array) -> float:
    return float(np.sqrt(np.mean(np.square(numbers, dtype=np.float64))))


def error_without_roots(vanilla: Array, reduced: Array) -> Array | None:
    """The square of the relative error of two outputs.

    Shapes  both the same; returns ().
    Units   none.
    Errors  none; None where the vanilla output is zero, as it is for zeros as x and y.
    Source  ours: both roots forgotten.
    """
    size = _size(vanilla)
    return np.array((_size(reduced - vanilla) / size) ** 2) if size else None


RUN_COPIES = {"rows-repeated": rows_of_the_key_repeated}
RUN_ERRORS = {  # in place of the relative error, of the vanilla and the reduced output
    "error-not-relative": lambda vanilla, reduced: np.array(_size(reduced - vanilla)),
    "error-without-roots": error_without_roots,
}
