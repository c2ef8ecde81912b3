"""Part 10's visible check and figure: what GQA_2_MLA returns, and what it makes of a noisy stack."""

import numpy as np
from IPython.utils.capture import capture_output

from attention_course.answers import function, picture, pieces
from attention_course.figure import BLUE, ORANGE, show, subplots
from attention_course.labels import scale, write
from attention_course.table import Table, expect, kind, numbers

FIRST, SECOND = "W_DKV_MLA", "W_UM_MLA"
TWO = f"two matrices, {FIRST} and {SECOND}"
SHOWN = (0, 1, 2, 3, 4, 5, 8, 16)  # the k whose errors are printed


def check_part10(names):
    """Calls `GQA_2_MLA` on one easy matrix: kinds, order and shapes of what it returns, and whether it prints."""
    table, said, ended = Table(10), None, False
    with table.line("GQA_2_MLA returns two matrices"):
        with capture_output(stderr=False) as said:
            returned = function(names, "GQA_2_MLA")(np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]]))
        ended = True
        factors = pieces(returned, 2, TWO)
    for name, index, shape in ((FIRST, 0, (2, 4)), (SECOND, 1, (4, 2))):
        with table.line(f"{'first' if index == 0 else 'second'} comes {name}, for r = 2 and D = 4 of shape {shape}"):
            factor = factors[index]
            expect(isinstance(factor, np.ndarray), f"expected a NumPy array, got {kind(factor)}")
            expect(factor.shape == shape, f"expected shape {shape}, got {factor.shape}")
    with table.line("row 0 of W_UM_MLA @ W_DKV_MLA is row 0 of the input, [1, 2, 0, 0]"):
        row = (np.asarray(factors[1]) @ np.asarray(factors[0]))[0]
        expect(np.allclose(row, [1.0, 2.0, 0.0, 0.0], atol=1e-5), f"got {np.round(row, 3).tolist()}")
    with table.line("the function itself prints something"):
        if not ended:
            raise RuntimeError("what it prints is seen once a call ends")
        expect(said.stdout.strip() or said.outputs, "expected two shapes and an error from a call, got no output")
    table.end()


def noisy_stack():
    """Six copies of a (4, 24) matrix with a little noise on every entry: (24, 24), of rank 24."""
    random = np.random.default_rng(10)
    W = random.standard_normal((4, 24)) * np.array([[2.0], [1.5], [1.0], [0.7]])
    return np.tile(W, (6, 1)) + 0.1 * random.standard_normal((24, 24))


def draw_part10(names):
    """Shows how well the first k columns and rows of your factors rebuild a noisy stack, next to the best rank k."""
    with picture():
        noisy = noisy_stack()
        D = len(noisy)
        with capture_output(stderr=False):
            down, up = pieces(function(names, "GQA_2_MLA")(noisy.copy()), 2, TWO)
        down, up = numbers(down), numbers(up)
        expect(down.shape == up.shape == (D, D), f"expected shapes {(D, D)} for r = D, got {down.shape} and {up.shape}")
        s = np.linalg.svd(noisy, compute_uv=False)
        best = np.array([(s[k:] ** 2).sum() for k in range(D)]) / D**2
        yours = np.array([((noisy - up[:, :k] @ down[:k]) ** 2).mean() for k in range(D)])
        print("mean squared error when only k latent numbers are kept")
        print("k           ", *(f"{k:7}" for k in SHOWN))
        print("best rank k ", *(f"{best[k]:7.4f}" for k in SHOWN))
        print("your factors", *(f"{yours[k]:7.4f}" for k in SHOWN))

        figure, axes = subplots(figsize=(8, 4.2), left=0.67, bottom=0.48)
        axes.axhline(0.01, color="0.45", linestyle=":", linewidth=1.2)
        write(axes, 10, 0.0108, "the noise alone: 0.01", ha="center", va="bottom", fontsize=10, color="0.3")
        axes.plot(best, color=BLUE, linewidth=2, marker="o", markersize=8, fillstyle="none", label="best rank k")
        label = "your factors, first k columns and rows"
        axes.plot(np.maximum(yours, 1e-9), color=ORANGE, linestyle="--", marker="x", markersize=6, label=label)
        text, arrow = "4 numbers carry the\nsix copies", {"arrowstyle": "->"}
        axes.annotate(text, (4, best[4] / 1.3), (1.5, 1e-4), fontsize=10, arrowprops=arrow)
        axes.set(
            yscale="log",
            ylim=(1e-6, 3 * max(yours.max(), best[0])),
        )
        scale(axes, "x", range(0, D, 2), name="k, latent numbers kept")
        scale(axes, "y", name="mean squared error (log scale)")
        axes.set_title("How thin can the latent be? A noisy stack of six copies, D = 24")
        axes.legend(fontsize=10, loc="lower left", frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        show(
            figure,
            """Mean squared error on a log axis against k, the number of latent numbers kept, from 0 to 23. The best
            possible error falls steeply until k = 4, to below the level of the noise, and slowly after it. Crosses show
            the error of your factors; on the circles, they are the best there is.""",
        )
