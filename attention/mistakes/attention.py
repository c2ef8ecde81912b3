"""Usual mistakes in attention: parts 3, 5 and 7.

Each is right attention with one step taken otherwise. Like the oracles they are NumPy in float64 and share no line with
the solutions; unlike them they work on whole arrays, as many of them are compared with one wrong answer.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from attention.oracles import Array, softmax


class Sizes(NamedTuple):
    """What a mistaken scale may be made of."""

    D_1: int
    L_2: int
    D_qk: int
    D_v: int
    H: int


Weigh = Callable[[Array, Sizes], Array]


def logits(q: Array, K: Array, scale: Callable[[int, int], float]) -> Array:
    """Products of one query with the keys, divided by a scale that is made of D_qk and L_2.

    Shapes  q (D_qk,), K (L_2, D_qk); returns (L_2,).
    Units   none: a logit is a pure number.
    Errors  ValueError from NumPy if q and the keys differ in width.
    Source  ours; with the right scale it is oracles.attention_logits, with which tests/ compares it.
    """
    return K @ q / scale(len(q), len(K))


def right_logits(q: Array, K: Array) -> Array:
    """As logits, with the right scale: what a mistake other than the scale begins with.

    Shapes  as logits.
    Units   none.
    Errors  as logits.
    Source  Vaswani et al. 2017, arXiv:1706.03762, equation (1).
    """
    return logits(q, K, lambda D_qk, L_2: math.sqrt(D_qk))


LOGITS: dict[str, Callable[[Array, Array], Array]] = {
    "no-scale": partial(logits, scale=lambda D_qk, L_2: 1.0),
    "no-root": partial(logits, scale=lambda D_qk, L_2: D_qk),
    "scale-upside-down": partial(logits, scale=lambda D_qk, L_2: 1 / math.sqrt(D_qk)),
    "half-of-the-width": partial(logits, scale=lambda D_qk, L_2: D_qk / 2),
    "twice-the-width": partial(logits, scale=lambda D_qk, L_2: 2 * D_qk),
    "square-for-root": partial(logits, scale=lambda D_qk, L_2: D_qk**2),
    "root-rounded": partial(logits, scale=lambda D_qk, L_2: math.floor(math.sqrt(D_qk))),
    "root-of-the-length": partial(logits, scale=lambda D_qk, L_2: math.sqrt(L_2)),
    "opposite-sign": lambda q, K: -right_logits(q, K),
    "absolute-values": lambda q, K: abs(right_logits(q, K)),
    "softmax-applied": lambda q, K: softmax(right_logits(q, K), axis=0),
    "exponentials": lambda q, K: np.exp(right_logits(q, K)),
    "cosines": lambda q, K: K @ q / (np.linalg.norm(K, axis=1) * np.linalg.norm(q)),
    "distances": lambda q, K: -((K - q) ** 2).sum(axis=1) / math.sqrt(len(q)),
    "products-not-summed": lambda q, K: q * K / math.sqrt(len(q)),
    "summed-over-the-keys": lambda q, K: (q * K).sum(axis=0) / math.sqrt(len(q)),
    "axis-of-one": lambda q, K: right_logits(q, K)[:, None],
}


def scaled(products: Array, sizes: Sizes, *, by: Callable[[Sizes], float] | None = None, axis: object = 3) -> Array:
    """The weights of attention: softmax over an axis of the products divided by a scale.

    Shapes  products (B, H, L_1, L_2); returns the same.
    Units   none.
    Errors  none.
    Source  ours; as it stands, without `by` and `axis`, it is right.
    """
    return softmax(products / (by(sizes) if by else math.sqrt(sizes.D_qk)), axis=axis)


def cut(stacked: Array, n: int) -> Array:
    """The heads of stacked vectors, one block after another: (B, L, n*width) to (B, n, L, width).

    Shapes  as said.
    Units   none.
    Errors  ValueError from NumPy if n does not divide the last axis.
    Source  the problem, part 2.
    """
    B, L, width = stacked.shape
    return stacked.reshape(B, L, n, width // n).swapaxes(1, 2)


def cut_interleaved(stacked: Array, n: int) -> Array:
    """As cut, but head h takes every n-th number, from number h on.

    Shapes  as cut.
    Units   none.
    Errors  as cut.
    Source  ours: the last axis split as (width, n).
    """
    B, L, width = stacked.shape
    return stacked.reshape(B, L, width // n, n).transpose(0, 3, 1, 2)


def cut_untransposed(stacked: Array, n: int) -> Array:
    """As cut, but the numbers of all positions are cut at once, as they lie in memory.

    Shapes  as cut.
    Units   none.
    Errors  as cut.
    Source  ours: a reshape where a reshape and a transposition are needed.
    """
    B, L, width = stacked.shape
    return stacked.reshape(B, n, L, width // n)


def join(heads: Array) -> Array:
    """The vectors of all heads, stacked: (B, H, L, width) to (B, L, H*width).

    Shapes  as said.
    Units   none.
    Errors  none.
    Source  the problem, part 4.
    """
    B, H, L, width = heads.shape
    return heads.swapaxes(1, 2).reshape(B, L, H * width)


def join_interleaved(heads: Array) -> Array:
    """As join, but number by number: the first of every head, then the second of every head.

    Shapes  as join.
    Units   none.
    Errors  none.
    Source  ours.
    """
    B, H, L, width = heads.shape
    return heads.transpose(0, 2, 3, 1).reshape(B, L, H * width)


def join_untransposed(heads: Array) -> Array:
    """As join, but as the numbers lie in memory, head by head across positions.

    Shapes  as join.
    Units   none.
    Errors  none.
    Source  ours.
    """
    B, H, L, width = heads.shape
    return np.ascontiguousarray(heads).reshape(B, L, H * width)


def attention(
    weights: dict[str, Array],
    x: Array,
    y: Array,
    H: int,
    G: int | None = None,
    *,
    tokens: str = "xyy",
    cuts: tuple[Callable, Callable, Callable] = (cut, cut, cut),
    keys_read: Callable[[int, int, int], int] | None = None,
    values_read: Callable[[int, int, int], int] | None = None,
    weigh: Weigh = scaled,
    stack: Callable[[Array], Array] = join,
    finish: Callable[[Array, Array, Array], Array] | None = None,
) -> Array | None:
    """Grouped-query attention with steps to replace; without replacements it is right.

    Shapes  weights, x, y and the result as in oracles.gqa; G = H unless given. `tokens` says of which sequence queries,
            keys and values are made, `cuts` how each is cut into heads, `keys_read(h, H, G)` which key head h reads,
            `weigh` what becomes of the products (B, H, L_1, L_2), `stack` joins (B, H, L_1, D_v), and
            `finish(stacked, W_O, x)` gives the output. None where the sizes do not allow these tokens.
    Units   none.
    Errors  ValueError from NumPy if H and G do not divide the rows of the weights.
    Source  oracles.gqa, with which tests/ compares it.
    """
    G = G or H
    sources = [x if token == "x" else y for token in tokens]
    matrices = [weights[name] for name in ("W_Q", "W_K", "W_V")]
    if any(t.shape[2] != W.shape[1] for t, W in zip(sources, matrices, strict=True)):
        return None
    if sources[1].shape[1] != sources[2].shape[1]:  # as many keys as values
        return None
    q, k, v = (cutter(source @ W.T, n) for cutter, source, W, n in zip(cuts, sources, matrices, (H, G, G), strict=True))
    pair = keys_read or (lambda h, H, G: h % G)
    k, v = k[:, [pair(h, H, G) for h in range(H)]], v[:, [(values_read or pair)(h, H, G) for h in range(H)]]
    sizes = Sizes(x.shape[2], k.shape[2], q.shape[3], v.shape[3], H)
    stacked = stack(weigh(q @ k.swapaxes(2, 3), sizes) @ v)
    return finish(stacked, weights["W_O"], x) if finish else stacked @ weights["W_O"].T


def hidden_later_positions(products: Array, sizes: Sizes) -> Array:
    """Weights in which position l_1 sees the positions l_2 up to l_1 alone.

    Shapes  as scaled.
    Units   none.
    Errors  none.
    Source  the mask of a language model, which this course does not use.
    """
    return scaled(np.where(np.tri(*products.shape[2:], dtype=bool), products, -1e9), sizes)


SCALES = {
    "no-scale": lambda s: 1.0,
    "no-root": lambda s: s.D_qk,
    "scale-upside-down": lambda s: 1 / math.sqrt(s.D_qk),
    "half-of-the-width": lambda s: s.D_qk / 2,
    "twice-the-width": lambda s: 2 * s.D_qk,
    "root-of-the-value-width": lambda s: math.sqrt(s.D_v),
    "root-of-the-token-width": lambda s: math.sqrt(s.D_1),
    "root-of-the-length": lambda s: math.sqrt(s.L_2),
    "root-of-all-heads": lambda s: math.sqrt(s.H * s.D_qk),
    "root-of-the-shared-width": lambda s: math.sqrt(s.D_1 / s.H),
    "root-rounded": lambda s: math.floor(math.sqrt(s.D_qk)),
}
WEIGHTS = {
    "softmax-over-queries": partial(scaled, axis=2),
    "softmax-over-heads": partial(scaled, axis=1),
    "softmax-over-samples": partial(scaled, axis=0),
    "softmax-over-everything": partial(scaled, axis=(0, 1, 2, 3)),
    "softmax-twice": lambda p, s: softmax(scaled(p, s), axis=3),
    "no-softmax": lambda p, s: p / math.sqrt(s.D_qk),
    "scaled-after-the-softmax": lambda p, s: softmax(p, axis=3) / math.sqrt(s.D_qk),
    "even-weights": lambda p, s: np.full(p.shape, 1 / p.shape[3]),
    "sigmoid-for-softmax": lambda p, s: 1 / (1 + np.exp(-p / math.sqrt(s.D_qk))),
    "later-positions-hidden": hidden_later_positions,
    "one-map-for-all-heads": lambda p, s: scaled(p, s).mean(axis=1, keepdims=True) + 0 * p,
}
STEPS = {
    **{key: {"weigh": partial(scaled, by=by)} for key, by in SCALES.items()},
    **{key: {"weigh": weigh} for key, weigh in WEIGHTS.items()},
    "heads-split-interleaved": {"cuts": (cut_interleaved,) * 3},
    "values-split-interleaved": {"cuts": (cut, cut, cut_interleaved)},
    "heads-split-untransposed": {"cuts": (cut_untransposed,) * 3},
    "heads-joined-interleaved": {"stack": join_interleaved},
    "heads-joined-untransposed": {"stack": join_untransposed},
    "split-and-joined-untransposed": {"cuts": (cut_untransposed,) * 3, "stack": join_untransposed},
    "heads-in-reverse": {"stack": lambda heads: join(heads[:, ::-1])},
    "token-added": {"finish": lambda stacked, W_O, x: x + stacked @ W_O.T},
    "output-matrix-left-out": {"finish": lambda stacked, W_O, x: stacked},
    "keys-from-x": {"tokens": "xxy"},
    "values-from-x": {"tokens": "xyx"},
    "queries-from-y": {"tokens": "yyy"},
    "attends-to-itself": {"tokens": "xxx"},
}


def _one_wide_head(weights: dict[str, Array], x: Array, y: Array, H: int) -> Array | None:
    return attention(weights, x, y, 1, weigh=partial(scaled, by=lambda s: math.sqrt(s.D_qk / H)))


def _stacked_by_key_head(weights: dict[str, Array], x: Array, y: Array, H: int, G: int) -> Array | None:
    order = sorted(range(H), key=lambda h: (h % G, h))
    return attention(weights, x, y, H, G, stack=lambda heads: join(heads[:, order]))


def _neighbour(h: int, H: int, G: int) -> int:
    return h // (H // G)


MHA: dict[str, Callable[..., Array | None]] = {
    **{key: partial(attention, **step) for key, step in STEPS.items()},
    "one-wide-head": _one_wide_head,
}
GQA: dict[str, Callable[..., Array | None]] = {
    "neighbouring-heads": partial(attention, keys_read=_neighbour),
    "values-of-neighbouring-heads": partial(attention, values_read=_neighbour),
    "first-head-for-all": partial(attention, keys_read=lambda h, H, G: 0),
    "heads-stacked-by-key-head": _stacked_by_key_head,
    **{
        key: partial(attention, **STEPS[key])
        for key in (
            "no-scale",
            "no-root",
            "half-of-the-width",
            "twice-the-width",
            "root-of-the-value-width",
            "softmax-over-queries",
            "softmax-over-heads",
            "no-softmax",
            "later-positions-hidden",
            "heads-split-interleaved",
            "split-and-joined-untransposed",
            "output-matrix-left-out",
        )
    },
}
