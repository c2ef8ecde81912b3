"""Expected values for the hidden tests, in NumPy and float64.

An oracle follows the problem literally, loops and all, and shares no line with the solutions: a slip in one
cannot hide in the other. Used by the hidden tests and by tests/; of packages it imports NumPy alone.
"""

import functools
import hashlib
import math
import operator
import os

import numpy as np

Array = np.ndarray
SECRET = "ATTENTION_COURSE_SECRET"  # the environment variable that makes hidden data one's own


def draw(seed: int) -> np.random.Generator:
    """A generator of hidden data: from the seed and the course's secret, so that no stored answers fit.

    Shapes  none.
    Units   none.
    Errors  none; without the secret in the environment the data are those that everyone can draw.
    Source  NumPy's PCG64, seeded with SHA-256 of both.
    """
    text = f"{os.environ.get(SECRET, '')}/{seed}".encode()
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text).digest(), "big"))


def softmax(x: Array, axis: int) -> Array:
    """exp(x) over its sum along one axis.

    Shapes  any; returns the same.
    Units   none.
    Errors  AxisError from NumPy if there is no such axis.
    Source  Bridle 1990; shifted by the maximum, which cancels.
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def one_query(L_2: int, D_qk: int, seed: int) -> tuple[Array, Array]:
    """A query and keys at random whose logits differ from one another and from 0.

    Shapes  returns (D_qk,), (L_2, D_qk).
    Units   none.
    Errors  none.
    Source  ours.
    """
    rng = draw(seed)
    signs = rng.choice([-1.0, 1.0], D_qk)
    return signs * rng.uniform(0.5, 2.0, D_qk), signs * rng.uniform(0.5, 2.0, (L_2, D_qk))


def stacked(W: Array, copies: int) -> Array:
    """Copies of a matrix, one below the other.

    Shapes  W (rows, columns); returns (copies * rows, columns).
    Units   none.
    Errors  ValueError from NumPy if there are no copies.
    Source  the problem, part 6.
    """
    return np.concatenate([W] * copies)


def of_full_rank(rng: np.random.Generator, leading: Array) -> list[Array]:
    """Matrices of full rank, each without what one construction of factors or another looks for: independent columns
    among the last ones or among the longest, column blocks that add up to full rank, entries that are not exactly 0.

    Shapes  leading (r, D), D of 18 at least, r a factor of it, whose first columns alone are dependent; returns four of
            this shape.
    Units   none.
    Errors  none.
    Source  ours.
    """
    r, D = leading.shape
    longest, blocks = rng.standard_normal((r, D)), np.split(rng.standard_normal((r, D - r)), D // r - 1, axis=1)
    longest[:, 17] = longest[:, 3] = 10 * longest[:, 3]
    return [leading[:, ::-1].copy(), longest, np.hstack([*blocks, -sum(blocks)]), 2 * np.eye(r, D)]


def attention_logits(q: Array, K: Array) -> Array:
    """What stands inside the softmax: how well each key agrees with one query.

    Shapes  q (D_qk,), K (L_2, D_qk); returns (L_2,).
    Units   none: a logit is a pure number.
    Errors  ValueError if q and the keys differ in width.
    Source  Vaswani et al. 2017, arXiv:1706.03762, equation (1).
    """
    if q.shape[0] != K.shape[1]:
        raise ValueError(f"attention_logits: q {q.shape} and K {K.shape} need one D_qk")
    numbers = q.tolist()  # Python's own numbers, which take a third of the time of NumPy's
    return np.array([sum(map(operator.mul, numbers, key)) for key in K.tolist()]) / math.sqrt(len(q))


def mha_weights(
    D_1: int, D_2: int, D_qk: int, D_v: int, H: int, G: int | None = None, seed: int = 0
) -> dict[str, Array]:
    """Weights at random, scaled so that unit inputs give logits, values and outputs of order 1.

    Shapes  W_Q (H*D_qk, D_1), W_K (G*D_qk, D_2), W_V (G*D_v, D_2), W_O (D_1, H*D_v); G = H unless given.
    Units   none.
    Errors  none.
    Source  ours; with logits of order 1 every mistake inside the softmax shows.
    """
    rng, kv = draw(seed), H if G is None else G
    return {
        "W_Q": 1.5 * rng.standard_normal((H * D_qk, D_1)) / math.sqrt(D_1),
        "W_K": 1.5 * rng.standard_normal((kv * D_qk, D_2)) / math.sqrt(D_2),
        "W_V": rng.standard_normal((kv * D_v, D_2)) / math.sqrt(D_2),
        "W_O": rng.standard_normal((D_1, H * D_v)) / math.sqrt(H * D_v),
    }


def tokens(sizes: tuple[int, ...], lengths: tuple[int, ...], seed: int) -> tuple[Array, Array]:
    """Tokens at random for a model of sizes D_1, D_2 and so on, and the lengths B, L_1 and L_2.

    Shapes  x (B, L_1, D_1), y (B, L_2, D_2).
    Units   none.
    Errors  none.
    Source  ours.
    """
    rng, (B, L_1, L_2) = draw(seed), lengths
    return rng.standard_normal((B, L_1, sizes[0])), rng.standard_normal((B, L_2, sizes[1]))


def gqa(weights: dict[str, Array], x: Array, y: Array, H: int, G: int) -> Array:
    """Grouped-query attention, head by head, position by position.

    Shapes  weights as `mha_weights` gives them; x (B, L_1, D_1), y (B, L_2, D_2); returns (B, L_1, D_1).
    Units   none.
    Errors  ValueError if G does not divide H, or H and G do not divide the rows of the weights.
    Source  the problem, parts 1 to 7: query head h reads key/value head h mod G; the scale is that of attention_logits.
    """
    return _gqa(Numbers(*(weights[name] for name in ("W_Q", "W_K", "W_V", "W_O")), x, y), H, G).copy()


def zeros_and_equal_ones(x: Array, y: Array) -> tuple[Array, Array]:
    """Tokens as they are, but the last of x and of y are zeros, and the first of y is equal to the second.

    Shapes  x (B, L_1, D_1), y (B, L_2, D_2); returns both in these shapes.
    Units   none.
    Errors  none.
    Source  ours.
    """
    x, y = x.copy(), y.copy()
    x[:, -1], y[:, -1], y[:, 0] = 0.0, 0.0, y[:, min(1, y.shape[1] - 1)]
    return x, y


def of_one_sign(x: Array, y: Array) -> tuple[Array, Array]:
    """Tokens with which a query's scores all have one sign, in each head: those of y are the first, times 1 to 0.6, and
    every other one of x is the one before, turned round. So where the largest score is 50, a query has -50 to -30.

    Shapes  x (B, L_1, D_1), y (B, L_2, D_2); returns both in these shapes.
    Units   none.
    Errors  none.
    Source  ours.
    """
    x, y = x.copy(), y[:, :1] * np.linspace(1.0, 0.6, y.shape[1])[:, None]
    x[:, 1::2] = -x[:, : x.shape[1] // 2 * 2 : 2]
    return x, y


def with_large_scores(weights: dict[str, Array], x: Array, y: Array, H: int, G: int, largest: float = 50.0) -> Array:
    """x times a number with which the largest score of attention has this size, as in trained models and in part 13.

    Shapes  weights, x and y as gqa has them; returns (B, L_1, D_1).
    Units   none.
    Errors  as gqa; of NumPy if every score is 0.
    Source  ours; float32 keeps the outputs of such scores to 5e-6: 50 times its rounding, times a quarter.
    """
    D_qk, sizes = len(weights["W_Q"]) // H, []
    for h in range(H):
        q = x @ weights["W_Q"][h * D_qk : (h + 1) * D_qk].T  # (B, L_1, D_qk)
        k = y @ weights["W_K"][h % G * D_qk : (h % G + 1) * D_qk].T  # (B, L_2, D_qk)
        sizes.append(np.abs(q @ k.swapaxes(1, 2)).max() / math.sqrt(D_qk))
    return x * (largest / max(sizes))


class Numbers:
    """Arrays by their numbers: equal to others of the same shapes and types that hold the same."""

    def __init__(self, *arrays: Array):
        self.arrays, self._held = arrays, tuple((each.shape, each.dtype.str, each.tobytes()) for each in arrays)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self._held == other._held

    def __hash__(self) -> int:
        return hash(self._held)


@functools.lru_cache(256)  # a hidden test asks for the same 30 with each answer, and each takes some milliseconds
def _gqa(given: Numbers, H: int, G: int) -> Array:
    W_Q, W_K, W_V, W_O, x, y = given.arrays
    if H % G or len(W_Q) % H or len(W_K) % G or len(W_V) % G:
        raise ValueError(f"gqa: H = {H} and G = {G} do not fit each other or the weights")
    D_qk, D_v = len(W_Q) // H, len(W_V) // G
    out = np.zeros((len(x), x.shape[1], len(W_O)))
    for b in range(len(x)):
        for h in range(H):
            g = h % G
            K = y[b] @ W_K[g * D_qk : (g + 1) * D_qk].T  # (L_2, D_qk)
            V = y[b] @ W_V[g * D_v : (g + 1) * D_v].T  # (L_2, D_v)
            for l_1 in range(x.shape[1]):
                q = W_Q[h * D_qk : (h + 1) * D_qk] @ x[b, l_1]  # (D_qk,)
                alpha = softmax(attention_logits(q, K), axis=0)  # (L_2,)
                o = sum(alpha[l_2] * V[l_2] for l_2 in range(len(V)))  # (D_v,)
                out[b, l_1] += W_O[:, h * D_v : (h + 1) * D_v] @ o
    return out


def mha(weights: dict[str, Array], x: Array, y: Array, H: int) -> Array:
    """Multi-head attention: grouped-query attention in which every query head has a key/value head of its own.

    Shapes  weights as `mha_weights` gives them; x (B, L_1, D_1), y (B, L_2, D_2); returns (B, L_1, D_1).
    Units   none.
    Errors  as gqa.
    Source  the problem, parts 1 to 5.
    """
    return gqa(weights, x, y, H, H)


def gqa_fast(weights: dict[str, Array], x: Array, y: Array, H: int, G: int) -> Array:
    """What gqa computes, for models of full size: matrix products in the dtype of x, a head of a sample at a time.

    Shapes  as gqa.
    Units   none.
    Errors  ValueError if G does not divide H, or H and G do not divide the rows of the weights.
    Source  as gqa, with which tests/ compares it; 32 samples of part 13 take about a second on two cores.
    """
    W_Q, W_K, W_V, W_O = (np.asarray(weights[name], dtype=x.dtype) for name in ("W_Q", "W_K", "W_V", "W_O"))
    if H % G or len(W_Q) % H or len(W_K) % G or len(W_V) % G:
        raise ValueError(f"gqa_fast: H = {H} and G = {G} do not fit each other or the weights")
    (B, L_1, _), L_2, D_qk, D_v = x.shape, y.shape[1], len(W_Q) // H, len(W_V) // G
    out, o = np.empty((B, L_1, len(W_O)), dtype=x.dtype), np.empty((G, H // G * L_1, D_v), dtype=x.dtype)
    root = np.asarray(math.sqrt(D_qk), dtype=x.dtype)
    for b in range(B):
        q = (x[b] @ W_Q.T).reshape(L_1, H // G, G, D_qk).transpose(2, 1, 0, 3).reshape(G, H // G * L_1, D_qk)
        k = np.ascontiguousarray((y[b] @ W_K.T).reshape(L_2, G, D_qk).transpose(1, 2, 0))
        v = np.ascontiguousarray((y[b] @ W_V.T).reshape(L_2, G, D_v).transpose(1, 0, 2))
        for g in range(G):  # one head's scores stay in the processor's cache, those of all heads don't
            alpha = softmax(q[g] @ k[g] / root, axis=1)  # (H/G·L_1, L_2)
            o[g] = alpha @ v[g]
        heads = o.reshape(G, H // G, L_1, D_v).transpose(2, 1, 0, 3).reshape(L_1, H * D_v)
        out[b] = heads @ W_O.T
    return out
