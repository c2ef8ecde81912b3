"""One step of generation in one layer: MHA, GQA and MLA, each with its cache, of PyTorch's own operators.

A step takes a new token of each of B texts, x of shape (B, D), writes what the variant caches for it at the last
position of the cache, lets it attend to all positions, itself included, and returns (B, D). Query head h reads
key/value head h % G, as in the course. The H / G query heads that share a key/value head go to the operator as that
many positions, so that it reads each key and each value once.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Shape:
    """Sizes of a layer: H query heads of width d, tokens of width D = H d, latents of r numbers."""

    H: int
    d: int
    r: int

    @property
    def D(self) -> int:
        """Width of a token."""
        return self.H * self.d


def sdpa(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """PyTorch's fused attention. Shapes  q (B, G, n, w); k, v (B, G, L, w); returns (B, G, n, w)."""
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def matmul(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same by two products and a softmax."""
    scores = q @ k.transpose(2, 3) * q.shape[3] ** -0.5
    return torch.softmax(scores, dim=3) @ v


OPERATORS: dict[str, Attend] = {"sdpa": sdpa, "matmul": matmul}


class Separate:
    """MHA, GQA and vanilla MLA: keys and values of G heads are cached."""

    def __init__(self, name: str, shape: Shape, G: int, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor) -> None:
        self.name, self.shape, self.G, self.weights = name, shape, G, (W_Q, W_K, W_V, W_O)
        self.cached = 2 * G * shape.d  # numbers a position
        self.rebuilt = 0  # numbers a position that a step makes anew

    def cache(self, numbers: Tensor, B: int, L: int) -> tuple[Tensor, ...]:
        """Keys and values, (B, G, L, d) each, laid into the first of the given numbers."""
        size = B * self.G * L * self.shape.d
        return tuple(numbers[n * size : (n + 1) * size].view(B, self.G, L, self.shape.d) for n in range(2))

    def step(self, attend: Attend, x: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """One token more of every text."""
        W_Q, W_K, W_V, W_O = self.weights
        keys[:, :, -1] = (x @ W_K.T).unflatten(1, (self.G, -1))
        values[:, :, -1] = (x @ W_V.T).unflatten(1, (self.G, -1))
        q = (x @ W_Q.T).unflatten(1, (-1, self.G, self.shape.d)).transpose(1, 2)
        return attend(q, keys, values).transpose(1, 2).flatten(1) @ W_O.T


class Latent:
    """MLA that caches latents, r numbers per position; `reduced` as in part 12, else keys and values are rebuilt."""

    def __init__(self, name: str, shape: Shape, reduced: bool, weights: tuple[Tensor, ...]) -> None:
        self.name, self.shape, self.G, self.weights = name, shape, None, weights
        self.cached, self.rebuilt = shape.r, 0 if reduced else 2 * shape.D
        self.step = self._reduced if reduced else self._rebuilt

    def cache(self, numbers: Tensor, B: int, L: int) -> tuple[Tensor, ...]:
        """The latents, (B, 1, L, r), laid into the first of the given numbers."""
        return (numbers[: B * L * self.shape.r].view(B, 1, L, self.shape.r),)

    def _reduced(self, attend: Attend, x: Tensor, latents: Tensor) -> Tensor:
        W_DKV, Q_hat, O_hat = self.weights
        latents[:, 0, -1] = x @ W_DKV.T
        q = (x @ Q_hat.T).unflatten(1, (1, self.shape.H, self.shape.r))
        return attend(q, latents, latents).flatten(1) @ O_hat.T

    def _rebuilt(self, attend: Attend, x: Tensor, latents: Tensor) -> Tensor:
        W_Q, W_DKV, W_UK, W_UV, W_O = self.weights
        latents[:, 0, -1] = x @ W_DKV.T
        keys, values = ((latents[:, 0] @ W.T).unflatten(2, (self.shape.H, -1)).transpose(1, 2) for W in (W_UK, W_UV))
        q = (x @ W_Q.T).unflatten(1, (self.shape.H, 1, -1))
        return attend(q, keys, values).flatten(1) @ W_O.T


Variant = Separate | Latent


def all_of(shape: Shape, Gs: list[int], device: torch.device, dtype: torch.dtype, seed: int = 0) -> list[Variant]:
    """MHA, GQA with each G, and MLA vanilla, rebuilt and reduced, the last three of the same weights.

    Weights are drawn so that tokens of standard normal numbers give scores and outputs of order 1.
    """
    random = torch.Generator().manual_seed(seed)

    def drawn(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=random, dtype=torch.float64) / columns**0.5

    D, H, d, r = shape.D, shape.H, shape.d, shape.r
    put = functools.partial(torch.Tensor.to, device=device, dtype=dtype)
    made: list[Variant] = []
    for G in [H, *Gs]:
        weights = [put(drawn(rows, D)) for rows in (D, G * d, G * d, D)]
        made.append(Separate("MHA" if G == H else f"GQA, G = {G}", shape, G, *weights))
    W_Q, W_DKV, W_UK, W_UV, W_O = drawn(D, D), drawn(r, D), drawn(D, r), drawn(D, r), drawn(D, D)
    Q_hat = (r / d) ** 0.5 * (W_UK.view(H, d, r).transpose(1, 2) @ W_Q.view(H, d, D)).reshape(H * r, D)
    O_hat = torch.einsum("ihd,hdr->ihr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    made.append(Separate("MLA vanilla", shape, H, *map(put, (W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O))))
    made.append(Latent("MLA rebuilt", shape, False, tuple(map(put, (W_Q, W_DKV, W_UK, W_UV, W_O)))))
    made.append(Latent("MLA reduced", shape, True, tuple(map(put, (W_DKV, Q_hat, O_hat)))))
    return made


def step_of(variant: Variant, operator: str) -> Callable[..., Tensor]:
    """The step of a variant with one operator, of x and the cache."""
    return functools.partial(variant.step, OPERATORS[operator])


def by_definition(variant: Variant, x: Tensor) -> Tensor:
    """What a variant gives for the tokens x of B texts, (B, L, D), each attending to itself and those before.

    In float64, head by head, from a key and a value matrix of every head, without a cache; returns (B, L, D).
    """
    H, d = variant.shape.H, variant.shape.d
    weights = [W.double() for W in variant.weights]
    if isinstance(variant, Separate):
        W_Q, W_K, W_V, W_O = weights
        W_K, W_V = (W.repeat(H // variant.G, 1) for W in (W_K, W_V))
    elif len(weights) == 5:
        W_Q, W_DKV, W_UK, W_UV, W_O = weights
        W_K, W_V = W_UK @ W_DKV, W_UV @ W_DKV
    else:
        W_DKV, W_Q, W_O = weights
        W_K = W_V = W_DKV.repeat(H, 1)
        d = variant.shape.r
    x = x.double()
    later = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1).bool()
    out = torch.zeros_like(x)
    for h in range(H):
        rows = slice(h * d, (h + 1) * d)
        scores = (x @ W_Q[rows].T) @ (x @ W_K[rows].T).transpose(1, 2) / d**0.5
        out += torch.softmax(scores.masked_fill(later, -torch.inf), dim=2) @ (x @ W_V[rows].T) @ W_O[:, rows].T
    return out


def generated(variant: Variant, step: Callable[..., Tensor], x: Tensor) -> Tensor:
    """What a variant's step gives for the tokens of x, (B, L, D), one after the other; returns (B, L, D)."""
    B, L, _ = x.shape
    kept = torch.zeros(B * L * variant.cached, device=x.device, dtype=x.dtype)
    out = []
    for length in range(1, L + 1):
        cache = variant.cache(torch.zeros_like(kept), B, length)
        for now, before in zip(cache, variant.cache(kept, B, length - 1), strict=True):
            now[:, :, :-1] = before
        out.append(step(x[:, length - 1], *cache))
        kept[: B * length * variant.cached] = torch.cat([part.flatten() for part in cache])
    return torch.stack(out, dim=1)
