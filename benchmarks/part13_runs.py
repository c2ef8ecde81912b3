"""Do right runs of part 13 pass its hidden test, however they are computed, and are copies with noise refused?

    python benchmarks/part13_runs.py                            # 2,000 right runs of 8 samples: 30 minutes on one core
    python benchmarks/part13_runs.py --runs 120 --samples 32    # at the part's own size
    python benchmarks/part13_runs.py --samples 2 --rows 400     # as lean classes are graded

A right run is data from `torch.randn` and two outputs, each computed in one of several orders. Each draw of data serves
all `PAIRS` of orders, and copies of a vanilla output, of the kinds in `COPIES`. The code that measures and judges is
the hidden test's own, attention/part13_run.py. Prints how many right runs it refuses, how close the closest came to
each bound, and the same for copies, all of which it must refuse. It runs on one thread; exit status 1 says that it
erred.
"""

import argparse
import itertools
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import torch

from attention import part13_run
from attention.part13 import BOUND, FULL, relative, weight_shapes

D, H, r = FULL
d = D // H
Tensors = list[torch.Tensor]
Attend = Callable[[Tensors, torch.Tensor, torch.Tensor], torch.Tensor]


def heads(t: torch.Tensor) -> torch.Tensor:
    """(B, L, H * width) as (B, H, L, width)."""
    return t.unflatten(2, (H, -1)).transpose(1, 2)


def projected(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """Queries, keys and values by head."""
    return [heads(t @ w.T) for t, w in ((x, W[0]), (y, W[1]), (y, W[2]))]


def plain(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The formulas as they are written."""
    q, k, v = projected(W, x, y)
    alpha = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(q.shape[3]), dim=3)
    return (alpha @ v).transpose(1, 2).flatten(2) @ W[3].T


def ready_made(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """PyTorch's own attention, as in the course's MyMHA."""
    o = torch.nn.functional.scaled_dot_product_attention(*projected(W, x, y))
    return o.transpose(1, 2).flatten(2) @ W[3].T


def scaled_query(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The root in the query, the softmax by hand."""
    q, k, v = projected(W, x, y)
    scores = (q / math.sqrt(q.shape[3])) @ k.transpose(2, 3)
    alpha = torch.exp(scores - scores.amax(dim=3, keepdim=True))
    return ((alpha / alpha.sum(dim=3, keepdim=True)) @ v).transpose(1, 2).flatten(2) @ W[3].T


def einsums(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Einsum throughout."""
    W_Q, W_K, W_V = (w.view(H, -1, D) for w in W[:3])
    q, k, v = (torch.einsum("bld,hed->bhle", t, w) for t, w in ((x, W_Q), (y, W_K), (y, W_V)))
    alpha = (torch.einsum("bhle,bhme->bhlm", q, k) / math.sqrt(q.shape[3])).softmax(dim=-1)
    return torch.einsum("bhlm,bhme,dhe->bld", alpha, v, W[3].view(D, H, -1))


def key_product_last(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A head at a time: W_K is multiplied to the query, and y is attended before W_V."""
    out, width = 0.0, len(W[0]) // H
    for h in range(H):
        rows = slice(h * width, (h + 1) * width)
        scores = (x @ W[0][rows].T @ W[1][rows]) @ y.transpose(1, 2) / math.sqrt(width)
        out = out + torch.softmax(scores, dim=2) @ y @ W[2][rows].T @ W[3][:, rows].T
    return out


def key_product_first(W: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A head at a time: W_Q^T W_K and W_O W_V are multiplied before x and y come in."""
    out, width = 0.0, len(W[0]) // H
    for h in range(H):
        rows = slice(h * width, (h + 1) * width)
        scores = x @ (W[0][rows].T @ W[1][rows]) @ y.transpose(1, 2) / math.sqrt(width)
        out = out + torch.softmax(scores, dim=2) @ (y @ (W[3][:, rows] @ W[2][rows]).T)
    return out


def factor_outside(up: torch.Tensor, W_Q: torch.Tensor) -> tuple[torch.Tensor, float]:
    """Q_hat by einsum, times the factor; and the key's factor."""
    return math.sqrt(r / d) * torch.einsum("hdr,hdc->hrc", up, W_Q), 1.0


def factor_inside(up: torch.Tensor, W_Q: torch.Tensor) -> tuple[torch.Tensor, float]:
    """The factor in W_UK; and the key's factor."""
    return torch.bmm((up * math.sqrt(r / d)).transpose(1, 2), W_Q), 1.0


def factor_in_two(up: torch.Tensor, W_Q: torch.Tensor) -> tuple[torch.Tensor, float]:
    """A root before the product, one after it; and the key's factor."""
    return ((up.transpose(1, 2) / math.sqrt(d)) @ W_Q) * math.sqrt(r), 1.0


def factor_in_the_key(up: torch.Tensor, W_Q: torch.Tensor) -> tuple[torch.Tensor, float]:
    """No factor in the query; and the key's factor."""
    return up.transpose(1, 2) @ W_Q, math.sqrt(r / d)


@dataclass(frozen=True)
class Order:
    """How one output is computed: the attention, its dtype, the dtype at the end; for a reduced one, the factor."""

    attend: Attend
    factor: Callable | None = None
    dtype: torch.dtype = torch.float32
    kept: torch.dtype | None = None

    def output(self, W: Tensors, x: torch.Tensor, y: torch.Tensor) -> np.ndarray:
        """The output of a model with the five weights."""
        W_DKV, W_UK, W_UV, W_Q, W_O = (w.to(self.dtype) for w in W)
        if self.factor is None:
            four = [W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O]
        else:
            Q_hat, gain = self.factor(W_UK.view(H, d, r), W_Q.view(H, d, D))
            O_hat = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
            four = [Q_hat.reshape(H * r, D), (gain * W_DKV).repeat(H, 1), W_DKV.repeat(H, 1), O_hat]
        return self.attend(four, x.to(self.dtype), y.to(self.dtype)).to(self.kept or self.dtype).numpy()


EXACT = torch.float64
PAIRS = [
    (Order(ready_made), Order(ready_made, factor_outside)),
    (Order(plain), Order(plain, factor_in_the_key)),
    (Order(einsums), Order(scaled_query, factor_inside)),
    (Order(scaled_query), Order(einsums, factor_in_two)),
    (Order(key_product_last), Order(key_product_last, factor_inside)),
    (Order(key_product_first), Order(key_product_first, factor_outside)),
    (Order(ready_made, dtype=EXACT), Order(ready_made, factor_outside)),
    (Order(plain), Order(ready_made, factor_in_two, dtype=EXACT)),
    (Order(ready_made, dtype=EXACT), Order(plain, factor_outside, dtype=EXACT)),
    (Order(ready_made, dtype=EXACT, kept=torch.float32), Order(plain, factor_outside, EXACT, torch.float32)),
]


def noise(size: float) -> Callable:
    """Normal noise of one size."""
    return lambda V, rng: V + size * np.sqrt(np.mean(V**2)) * rng.standard_normal(V.shape)


def share(size: float) -> Callable:
    """Normal noise in proportion to each number."""
    return lambda V, rng: V * (1 + size * rng.standard_normal(V.shape))


def by_row(V: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Normal noise whose size varies from row to row, by a factor of e up or down."""
    sizes = 1e-6 * np.exp(rng.standard_normal((*V.shape[:2], 1)))
    return V + sizes * np.sqrt(np.mean(V**2)) * rng.standard_normal(V.shape)


COPIES: dict[str, Callable] = {
    "as it is": lambda V, rng: V.copy(),
    **{f"noise of {size:.0e}": noise(size) for size in (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 5e-5, 4e-4)},
    **{f"noise of {size:.0e} of each number": share(size) for size in (1e-8, 1e-6, 5e-5, 4e-4)},
    "noise by row": by_row,
    "in float16": lambda V, rng: V.astype(np.float16),
    "in float32": lambda V, rng: V.astype(np.float32),
    "in four digits": lambda V, rng: np.round(V, 4 - math.ceil(math.log10(np.abs(V).max()))),
    "shifted by 1e-6": lambda V, rng: V + 1e-6 * np.sqrt(np.mean(V**2)),
    "shifted by 1e-4": lambda V, rng: V + 1e-4 * np.sqrt(np.mean(V**2)),
    "scaled by 1e-6": lambda V, rng: V * (1 + 1e-6),
    "scaled by 2e-4": lambda V, rng: V * (1 + 2e-4),
    "one number changed": lambda V, rng: np.concatenate([[V.flat[0] * 1.001], V.flat[1:]]).reshape(V.shape),
    "a sample changed": lambda V, rng: V * (1 + 1e-4 * (np.arange(len(V)) == 0)[:, None, None]),
    "a third of the rows changed": lambda V, rng: V * (1 + 1e-4 * (rng.random((*V.shape[:2], 1)) < 0.33)),
}
EVERY = 3  # a kind of copy has its turn in every third draw


@dataclass
class Tally:
    """What was counted: runs that were judged otherwise than they should be, and the extremes of each measure."""

    runs: int = 0
    erred: list[str] = field(default_factory=list)
    extremes: dict[str, float] = field(default_factory=dict)

    def add(self, run: part13_run.Run, known: part13_run.Truth, copy: str = "") -> None:
        """Judges one run, which should be right unless it is a copy."""
        found = part13_run.measure(run, known)
        verdict = part13_run.judged(run, found)
        self.runs += 1
        if verdict.right == bool(copy):
            self.erred.append(f"{copy or 'right'}: {verdict.found or 'accepted'} {found}")
        self.most("relative_error", run.error)
        self.most("an output's error", max(found.vanilla, found.reduced))
        self.most("a median row's error", max(found.vanilla_rows, found.reduced_rows))
        self.most("relative_error and outputs", abs(run.error / found.between - 1) if found.between > 1e-9 else 0.0)
        if not found.rounded:
            self.most("difference stands out", found.stands_out if copy else -found.stands_out)

    def most(self, name: str, number: float) -> None:
        """Remembers the largest number of a name; NaN and infinity don't count."""
        if math.isfinite(number):
            self.extremes[name] = max(number, self.extremes.get(name, -math.inf))


def drawn(generator: torch.Generator, samples: int, rows: int) -> tuple[Tensors, torch.Tensor, torch.Tensor]:
    """Weights, x and y from torch.randn; `rows` are those of a sample of x."""
    W = [torch.randn(shape, generator=generator) for shape in weight_shapes(D, H, r).values()]
    x, y = (torch.randn(samples, length, D, generator=generator) for length in (rows, 300))
    return W, x, y


def one_draw(data: tuple, generator: torch.Generator, right: Tally, copies: Tally, quiet: list[float]) -> None:
    """Adds a right run for each pair of orders, and copies of the vanilla output of one order."""
    W, x, y = data
    arrays = tuple(w.numpy() for w in W), x.numpy(), y.numpy()
    known = part13_run.truth(*arrays)
    kept: dict[Order, np.ndarray] = {}

    def output(order: Order) -> np.ndarray:
        if order not in kept:
            kept[order] = order.output(W, x, y)
        return kept[order]

    for vanilla, reduced in (map(output, pair) for pair in PAIRS):
        error = relative(reduced.astype(vanilla.dtype), vanilla)
        right.add(part13_run.Run(*arrays, vanilla, reduced, error, (H * r, D)), known)
        if vanilla.dtype == reduced.dtype == np.float32 and error > part13_run.LAST_BITS:
            apart = np.linalg.norm((reduced - vanilla).reshape(-1, D), axis=1) / known.sizes
            others = np.quantile(np.delete(apart, known.most), part13_run.MOST_OF_THEM)
            quiet.append(float(np.mean(apart[known.most] < part13_run.STANDS_OUT * others)))
    rng = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))
    turn = right.runs // len(PAIRS)
    order = PAIRS[turn % len(PAIRS)][0]
    for kind, made in list(COPIES.items())[turn % EVERY :: EVERY]:
        vanilla = output(order)
        copy = made(vanilla, rng)
        copy = copy if kind.startswith("in float") else copy.astype(vanilla.dtype)
        run = part13_run.Run(*arrays, vanilla, copy, relative(copy, vanilla), None if order.kept else (H * r, D))
        copies.add(run, known, kind)


@torch.no_grad()
def main(arguments: list[str] | None = None) -> int:
    """Simulates, prints what came out; 0 if no right run was refused and no copy accepted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="right runs, at least")
    parser.add_argument("--samples", type=int, default=8, help="of each run; the part has 32")
    parser.add_argument("--rows", type=int, default=100, help="of each sample")
    parser.add_argument("--seed", type=int, default=13)
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    generator, right, copies, quiet = torch.Generator().manual_seed(chosen.seed), Tally(), Tally(), []
    for n in itertools.count(1):
        data = drawn(generator, chosen.samples, chosen.rows)
        one_draw(data, generator, right, copies, quiet)
        if n % 10 == 0 or right.runs >= chosen.runs:
            print(f"{right.runs} right runs, {len(right.erred)} refused; {copies.runs} copies, ", end="")
            print(f"{len(copies.erred)} accepted", flush=True)
        if right.runs >= chosen.runs:
            break
    for line in report(right, copies, quiet):
        print(line)
    return 1 if right.erred or copies.erred else 0


def report(right: Tally, copies: Tally, quiet: list[float]) -> list[str]:
    """How close right runs and copies came to each bound."""
    bounds = {
        "relative_error": BOUND,
        "an output's error": BOUND,
        "a median row's error": part13_run.ROW_BOUND,
        "relative_error and outputs": part13_run.DIGITS,
        "difference stands out": part13_run.STANDS_OUT,
    }
    lines = ["right runs: what came closest to each bound"]
    for name, bound in bounds.items():
        lines.append(f"  {name:28} {abs(right.extremes[name]):8.1e}   bound {bound:.0e}")
    lines.append(f"  undecided rows that stay below that: {np.mean(quiet):.2%}, at most {max(quiet):.1%} of a run's")
    lines.append(f"copies: the difference stands out {copies.extremes['difference stands out']:.2f} times at most")
    return lines + [f"ERRED {text}" for text in right.erred + copies.erred]


if __name__ == "__main__":
    sys.exit(main())
