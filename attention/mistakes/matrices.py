"""Usual mistakes with matrices, heads and factors: parts 2, 6 and 8 to 11, in NumPy and float64.

A table holds, by the mistake's key, what a student's code then gives on the data of one case.
"""

from collections.abc import Callable

import numpy as np

from attention.factors import product
from attention.oracles import Array, softmax

Table = dict[str, Callable[..., Array | None]]


def stacked(W: Array) -> Array:
    """Copies of W, one below the other, until they make a square: what parts 9 and 10 factor.

    Shapes  W (r, D), r a factor of D; returns (D, D).
    Units   none.
    Errors  none.
    Source  the problem, part 6.
    """
    return np.concatenate([W] * (W.shape[1] // W.shape[0]))


def rows_repeated(W: Array, n: int) -> Array:
    """Each row n times before the next one comes.

    Shapes  W (rows, D); returns (n*rows, D).
    Units   none.
    Errors  none.
    Source  ours: np.repeat in place of np.tile.
    """
    return np.repeat(W, n, axis=0)


def blocks_repeated(W: Array, n: int, d: int) -> Array:
    """Each block of d rows n times before the next one comes, as if neighbouring query heads shared a head.

    Shapes  W (G*d, D); returns (n*G*d, D).
    Units   none.
    Errors  none.
    Source  ours: h // (H/G) in place of h mod G.
    """
    return np.concatenate([block for block in W.reshape(-1, d, W.shape[1]) for _ in range(n)])


def singular_values(W: Array, power: int) -> Array:
    """The product of the factors of an SVD of the stacked matrix, the singular values used `power` times.

    Shapes  W (r, D); returns (D, D).
    Units   none.
    Errors  none.
    Source  ours; with power 1 it is the stacked matrix.
    """
    U, s, Vt = np.linalg.svd(stacked(W))
    r = len(W)
    return U[:, :r] * s[:r] ** power @ Vt[:r]


def one_short(W: Array) -> Array:
    """The product of the factors of an SVD of the stacked matrix that is cut after r - 1 singular values.

    Shapes  W (r, D); returns (D, D).
    Units   none.
    Errors  none.
    Source  Eckart and Young 1936: the nearest matrix of that rank.
    """
    U, s, Vt = np.linalg.svd(stacked(W))
    short = len(W) - 1
    return U[:, :short] * s[:short] @ Vt[:short]


def copies(H: int, G: int, d: int) -> Array:
    """The right matrix A of part 6: H/G identities, one below the other.

    Shapes  returns (H*d, G*d).
    Units   none.
    Errors  none.
    Source  the problem, part 6.
    """
    return np.concatenate([np.eye(G * d)] * (H // G))


def picked(B: Array, H: int, G: int, d: int) -> Array:
    """What B makes of the copies of an identity; B itself where its shape allows no product.

    Shapes  B (G*d, H*d) or any other; returns (G*d, G*d), or the shape of B.
    Units   none.
    Errors  none.
    Source  the problem, part 6; infinities of an answer are found out by comparison.
    """
    with np.errstate(all="ignore"):
        return B @ copies(H, G, d) if B.shape == (G * d, H * d) else B


PROJECTED: Table = {  # part 2, of a matrix W and a token t
    "products-not-summed": lambda W, t: W * t,
    "axis-of-one": lambda W, t: (W @ t)[None],
    "token-forgotten": lambda W, t: W.sum(axis=1),
    "softmax-too-early": lambda W, t: softmax(W @ t, axis=0),
    "scaled-too-early": lambda W, t: W @ t / np.sqrt(len(W)),
    "bias-left-in": lambda W, t: W @ t + 1.0,
}
STACKS: Table = {  # the matrix A of part 6
    "rows-repeated": lambda H, G, d: rows_repeated(np.eye(G * d), H // G),
    "blocks-repeated": lambda H, G, d: blocks_repeated(np.eye(G * d), H // G, d),
    "copies-scaled": lambda H, G, d: copies(H, G, d) * G / H,
    "stacked-side-by-side": lambda H, G, d: np.concatenate([np.eye(G * d)] * (H // G), axis=1),
    "order-swapped": lambda H, G, d: np.eye(G * d, H * d),
    "width-forgotten": lambda H, G, d: copies(H, G, 1),
}
PICKS: Table = {  # the matrix B of part 6, as `picked` shows it
    "copies-added-up": lambda H, G, d: picked(copies(H, G, d).T, H, G, d),
    "divided-by-all-heads": lambda H, G, d: picked(copies(H, G, d).T / H, H, G, d),
    "every-other-row": lambda H, G, d: picked(np.eye(H * d)[:: H // G], H, G, d),
    "blocks-repeated": lambda H, G, d: picked(blocks_repeated(np.eye(G * d), H // G, d).T * G / H, H, G, d),
    "order-swapped": lambda H, G, d: picked(copies(H, G, d), H, G, d),
    "width-forgotten": lambda H, G, d: picked(np.eye(G, H), H, G, d),
}
FACTORED: Table = {  # the product of the two factors of part 9, of W (G*d, D) and H
    "rows-repeated": lambda W, H: rows_repeated(W, W.shape[1] // len(W)),
    "blocks-repeated": lambda W, H: blocks_repeated(W, W.shape[1] // len(W), W.shape[1] // H),
    "singular-values-forgotten": lambda W, H: singular_values(W, 0),
}
REBUILT: Table = {  # the product of the two factors of part 10, of W (r, D)
    "rows-repeated": lambda W: rows_repeated(W, W.shape[1] // len(W)),
    "singular-values-forgotten": lambda W: singular_values(W, 0),
    "singular-values-twice": lambda W: singular_values(W, 2),
    "one-singular-value-short": one_short,
}
# The shapes of the two factors, of W_UM and W_DKV, for W (r, D) and its rank.
SHAPES: dict[str, Callable[[int, int, int], tuple[tuple[int, int], tuple[int, int]]]] = {
    "order-swapped": lambda r, D, rank: ((r, D), (D, r)),
    "stacked-side-by-side": lambda r, D, rank: ((r, D), (r, D)),
    "full-width": lambda r, D, rank: ((D, D), (D, D)),
    "cut-to-the-rank": lambda r, D, rank: ((D, rank), (rank, D)),
}
SWAPPED: Table = {  # the first matrix of part 10 times the second, where their shapes are exchanged
    "order-swapped": stacked,
    "both-transposed": lambda W: stacked(W).T,
}
ERRORS: dict[str, Callable[[Array, Array], float]] = {  # in place of the mean squared error, of rebuilt and stacked
    "root-of-the-error": lambda built, want: np.sqrt(np.mean((built - want) ** 2)),
    "sum-for-mean": lambda built, want: np.sum((built - want) ** 2),
    "mean-absolute-error": lambda built, want: np.mean(np.abs(built - want)),
    "relative-for-squared": lambda built, want: np.mean((built - want) ** 2) / np.mean(want**2),
}
PRODUCT: Table = {  # part 11, of W_UM (2, 1) and W_DKV (1, 2), or whatever was chosen in their place
    "multiplied-the-other-way": lambda W_UM, W_DKV: product(W_DKV, W_UM),
    "product-transposed": lambda W_UM, W_DKV: product(W_UM, W_DKV).T,
}
HEADS: Table = {  # part 8, the key/value head of query head h
    # The function is not told H: who pairs neighbours takes that of the example in part 6.
    "neighbouring-heads": lambda h, G: h // (12 // G),
    "quotient-for-remainder": lambda h, G: h // G,
    "counted-from-one": lambda h, G: h % G + 1,
    "head-itself": lambda h, G: h,
    "last-head-for-the-rest": lambda h, G: np.minimum(h, G - 1),
    "arguments-exchanged": lambda h, G: np.where(h > 0, G % np.maximum(h, 1), 0),
}
