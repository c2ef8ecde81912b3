"""Part 13's hidden test on the student's own run: is it right, and is `output_reduced` a model's own output?

Rounding decides some numbers here, and data at random do. Each bound on such a number states the distribution that it
rests on, so that a right run fails it less than once in a million gradings. benchmarks/part13_runs.py measures how far
right runs stay from each bound, and that copies with noise on them don't pass. The numbers are for 800 rows, the fewest
that anything here is graded with, in 8 samples or in 2; the part has 3,200 in 32.
"""

import math
from dataclasses import dataclass

import numpy as np

from attention import mistakes, oracles
from attention.oracles import Array
from attention.part13 import BOUND, FULL, WEIGHTS, relative, vanilla, weight_shapes
from grading.bridge import probe
from grading.core import messages
from grading.marking import rubric, shapes
from grading.marking.rubric import Verdict

D, H, r = FULL
OUTPUTS = ("output_vanilla", "output_reduced")

# Most rows have no undecided head. Float32 rounds them by 3e-7 to 5e-7 of their size, in every order of operations that
# we tried; smaller weights, with more undecided rows, bring the median row to 3e-6 at most. A median of 800 rows
# doesn't leave that range by chance: half of all rows would have to. 1e-5 is what float32 keeps in all parts.
ROW_BOUND = 1e-5
# The student's number comes from the same two outputs. Sums of 3 million squares in float32 agree with ours to 1e-5;
# 5 % lets a number rounded to two digits pass. The mean of 32 errors, one a sample, is 10 to 19 % smaller.
DIGITS = 0.05
LAST_BITS = 1e-9  # what two exact outputs, rounded to float32, differ by: a few last bits among millions of numbers
# Two models that round on their own differ most where a softmax is undecided: there a difference of two scores, rounded
# twice, is multiplied. Of the 4 % of the rows that are most undecided, 32 of 800, four fifths differ by less than 200
# to 1500 times what four fifths of the other rows stay below; in a copy of the vanilla output that is 1 time, whatever
# noise is on it. One such row differs by less than 8 times with a probability p of about 0.1 (both models may happen to
# round the scores alike; 0.3 in the worst of our runs), and if these were independent, 26 of 32 would with one below
# C(32, 26) p**26 = 2e-8 for p = 0.3. Scores must be large for float32 to leave anything undecided: their standard
# deviation is 7200 on data from randn; below 1000 (weights of half the size) only exact copies are recognised, and the
# reduced model must be there. Above 30,000 (tokens of twice the size) so few rows are undecided that a forgotten factor
# may stay below BOUND: there, too, it is computed what that would change.
MOST_UNDECIDED, MOST_OF_THEM, STANDS_OUT = 0.04, 0.8, 8.0
LARGE_SCORES, LARGER_SCORES = 1000.0, 30_000.0


@dataclass(frozen=True)
class Run:
    """A student's own run: weights, x, y, both outputs, the error, and the shape of the reduced model's W_Q."""

    W: tuple[Array, ...]
    x: Array
    y: Array
    vanilla: Array
    reduced: Array
    error: float
    shape: tuple | None = None


@dataclass(frozen=True)
class Truth:
    """What a run is compared with: the exact output, its rows' sizes, the most undecided rows, the scores' spread; and,
    where that is small or very large, by how much an output is off without the factor sqrt(r/(D/H)).
    """

    exact: Array
    sizes: Array
    most: Array
    scores: float
    without_factor: float = math.inf


@dataclass(frozen=True)
class Measures:
    """What the verdict on a run rests on; a number is NaN or infinite where there is none.

    `between`: the relative error between the two outputs. `vanilla`, `reduced`: that of each against the exact one, and
    `…_rows` the median of the rows' own. `scores`: their standard deviation. `stands_out`: how many times larger the
    outputs' difference is where the softmax is undecided. `rounded`: both outputs are the exact one, rounded to
    float32. `same`: every bit of them is. `without_factor`: as `Truth` has it.
    """

    between: float
    vanilla: float
    reduced: float
    vanilla_rows: float
    reduced_rows: float
    scores: float
    stands_out: float
    rounded: bool
    same: bool
    without_factor: float = math.inf


def right(answer: object, B: int, L_1: int, L_2: int) -> Verdict:
    """Whether a student's own run is right: the error, and both outputs, recomputed from the student's weights, x, y.

    `answer`: the student's variables by name, the shape of `model_MHA_reduced.W_Q.weight`, whether there is a GPU.
    """
    run = received(answer, B, L_1, L_2)
    if isinstance(run, Verdict):
        return run
    found = measure(run, truth(run.W, run.x, run.y))
    return mistakes.diagnosed(judged(run, found), lambda: _usual(run))


def received(answer: object, B: int, L_1: int, L_2: int) -> Run | Verdict:
    """The run in what came back, or the verdict that says what is missing in it."""
    match answer:
        case (dict(found), None | (int(), int()) as shape, bool(cuda)):
            pass
        case _:
            if isinstance(answer, probe.Reason):
                return mistakes.unanswered(answer)
            return rubric.fact(False, "nothing that can be compared came back.")
    expected = {**weight_shapes(*FULL), "x": (B, L_1, D), "y": (B, L_2, D), **dict.fromkeys(OUTPUTS, (B, L_1, D))}
    for name, wanted in expected.items():
        value = found.get(name)
        if not isinstance(value, probe.Tensor) or value.array.dtype.kind != "f" or value.shape != wanted:
            if value is None:
                return Verdict(False, messages.missing(name), no_value=True)
            state = f"one of shape {shapes.shown(value.shape)}" if isinstance(value, probe.Tensor) else "none"
            text = f"`{name}`: expected a tensor of shape {wanted}, got {state}. Does a later cell use the name again?"
            return Verdict(False, text, no_value=True)  # the item's hint is about models and errors
        if not np.isfinite(value.array).all():
            return rubric.fact(False, f"`{name}` holds numbers that are not finite.")
    for name in ("x", "y", *OUTPUTS):
        if found[name].device.split(":")[0] != ("cuda" if cuda else "cpu"):
            return rubric.fact(False, f"`{name}` is not on the device, {'the GPU' if cuda else 'the CPU'}.")
    if shape not in (None, (H * r, D)):
        text = f"`model_MHA_reduced` has a W_Q of shape {shapes.shown(shape)}, not {(H * r, D)}."
        return rubric.fact(False, text)
    if found.get("relative_error") is None:
        return Verdict(False, messages.missing("relative_error"), no_value=True)
    number = rubric.array(found.get("relative_error"), rubric.ANY)
    if number is None or number.size != 1 or number.dtype.kind == "c":
        return rubric.fact(False, "`relative_error` is not a number.")
    W, others = (tuple(found[name].array for name in names) for names in (WEIGHTS, ("x", "y", *OUTPUTS)))
    return Run(W, *others, float(number.reshape(())), shape)


def truth(W: tuple[Array, ...], x: Array, y: Array) -> Truth:
    """The vanilla model's output in float64, and which of its rows are most sensitive to rounding."""
    with np.errstate(all="ignore"):
        sensitivity, scores = undecided(W, x, y)
        exact = vanilla(*_exactly(W, x, y), H, oracles.gqa_fast)
    most = np.argsort(sensitivity)[-max(1, round(MOST_UNDECIDED * len(sensitivity))) :]
    samples = 1 if scores < LARGE_SCORES else len(x) if scores > LARGER_SCORES else 0  # all, where few rows tell
    without_factor = _without_factor(W, x, y, exact, samples) if samples else math.inf
    return Truth(exact, _row_sizes(exact), most, scores, without_factor)


def _without_factor(W: tuple[Array, ...], x: Array, y: Array, exact: Array, samples: int) -> float:
    """By how much the first samples' output is off where every score is sqrt((D/H)/r) of what it should be."""
    (*others, W_Q, W_O), x, y = _exactly(W, x[:samples], y[:samples])
    with np.errstate(all="ignore"):
        return relative(vanilla([*others, W_Q * math.sqrt(D / H / r), W_O], x, y, H, oracles.gqa_fast), exact[:samples])


def undecided(W: tuple[Array, ...], x: Array, y: Array) -> tuple[Array, float]:
    """How sensitive each row of the output is to errors in its scores, and the standard deviation of all scores.

    Shapes  the weights, x (B, L_1, D), y (B, L_2, D); returns (B * L_1,): 0 where every head reads one position alone.
    Source  the derivative of a softmax, alpha (1 - alpha), summed over L_2; heads add up as independent errors do.
    """
    W_DKV, W_UK, _, W_Q, _ = (w.astype(np.float32) for w in W)
    rows, deviations, d = [], [], D // H
    for one_x, one_y in zip(x.astype(np.float32), y.astype(np.float32), strict=True):
        q = (one_x @ W_Q.T).reshape(-1, H, d).transpose(1, 0, 2)
        k = (one_y @ W_DKV.T @ W_UK.T).reshape(-1, H, d).transpose(1, 2, 0)
        scores = q @ k / np.float32(math.sqrt(d))  # (H, L_1, L_2)
        alpha = oracles.softmax(scores, axis=2)
        rows.append(np.sqrt(np.square((alpha * (1 - alpha)).sum(axis=2)).sum(axis=0)))
        deviations.append(scores.std())
    return np.concatenate(rows), float(np.mean(deviations))


def measure(run: Run, known: Truth) -> Measures:
    """All numbers that the verdict on a run rests on."""
    outputs = (run.vanilla, run.reduced)
    with np.errstate(all="ignore"):
        exact = known.exact.astype(np.float32)
        apart = _row_sizes(run.reduced.astype(np.float64) - run.vanilla) / known.sizes
        errors = [_row_sizes(output - known.exact) / known.sizes for output in outputs]
        return Measures(
            relative(run.reduced, run.vanilla),
            *[relative(output, known.exact) for output in outputs],
            *[float(np.median(error)) for error in errors],
            known.scores,
            float(
                np.quantile(apart[known.most], MOST_OF_THEM) / np.quantile(np.delete(apart, known.most), MOST_OF_THEM)
            ),
            all(output.dtype == np.float32 and np.mean(output == exact) > 0.99 for output in outputs),
            bool((run.reduced == run.vanilla).all()),
            known.without_factor,
        )


def judged(run: Run, found: Measures) -> Verdict:
    """Whether a run with these measures is right."""
    if not 0 <= run.error < BOUND:
        return rubric.fact(False, f"`relative_error` is {run.error:.1e}.")
    for model, error, rows in (
        ("vanilla", found.vanilla, found.vanilla_rows),
        ("reduced", found.reduced, found.reduced_rows),
    ):
        if not (error < BOUND and rows < ROW_BOUND):
            text = f"`output_{model}` is not what the {model} model gives for your weights, x and y."
            return rubric.fact(False, text)
    if not math.isclose(run.error, found.between, rel_tol=DIGITS, abs_tol=LAST_BITS):
        return rubric.fact(False, "`relative_error` is not the error between your two outputs.")
    if not found.without_factor > BOUND:  # infinite where scores are those of randn: there a wrong Q_hat shows
        text = "with your data a wrong `W_Q_MLA_hat` makes no difference. Draw the weights, x and y as the task says."
        return rubric.fact(False, text)
    return rubric.fact(not is_copy(run, found), "`output_reduced` does not come from a model of its own.")


def is_copy(run: Run, found: Measures) -> bool:
    """Whether `output_reduced` is the vanilla output, with something on it or not."""
    if found.rounded:  # computed in float64 and rounded at the end: no errors are left to compare, so ask for the model
        return run.shape is None
    if found.scores < LARGE_SCORES:
        return found.same or run.shape is None
    return not STANDS_OUT <= found.stands_out < math.inf  # infinite: most rows are copied to the last bit


def _usual(run: Run) -> str | None:
    """The usual mistake that a wrong run shows: another error, or other copies of K and V."""
    want = np.array(relative(run.reduced, run.vanilla))
    error = mistakes.Case("", run.error, want, (run.vanilla, run.reduced))
    # One sample is enough. Float32 moves an undecided row by 1e-3 of its size, other rows by 1e-6: a tenth is far.
    W, x, y = _exactly(run.W, run.x[:1], run.y[:1])
    copies = mistakes.Case("", run.reduced[:1], run.vanilla[:1], (W, x, y, H))
    return mistakes.shown([error], mistakes.RUN_ERRORS, rtol=1e-3, kind=rubric.ANY) or mistakes.shown(
        [copies], mistakes.RUN_COPIES, rtol=0.1, kind=rubric.ANY
    )


def _exactly(W: tuple[Array, ...], x: Array, y: Array) -> tuple[tuple[Array, ...], Array, Array]:
    return tuple(w.astype(np.float64) for w in W), x.astype(np.float64), y.astype(np.float64)


def _row_sizes(output: Array) -> Array:
    return np.linalg.norm(output.reshape(-1, output.shape[-1]).astype(np.float64), axis=1)
