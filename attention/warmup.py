"""What libraries do at their first use, done once before the first kernel is forked, so that no kernel has to do it.

Like the zygote it stands alone. It computes on one thread, draws no random numbers, and leaves what a notebook sees as
it was: no figure of pyplot's, no backend chosen, no shell.
"""

import io
import sys

import numpy as np
import sympy
import torch
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.ultratb import FormattedTB
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def warm() -> None:
    """Uses a little of everything that notebooks use."""
    compute()
    draw()
    fail()


def compute() -> None:
    """Products, a softmax, an SVD, symbols, and what they look like when printed."""
    ones = torch.ones(2, 2, 2)
    torch.einsum("abc,acd->abd", ones, ones).softmax(-1)
    torch.nn.functional.scaled_dot_product_attention(ones, ones, torch.nn.Linear(2, 2, bias=False)(ones))
    left, values, right = np.linalg.svd(np.eye(2))
    np.einsum("ab,b,bc->ac", left, values, right)
    a, b = sympy.symbols("a b", positive=True)
    repr([ones.double() @ ones.double(), np.eye(2), sympy.simplify((a * b + b) / b)])


def draw() -> None:
    """A figure with formulas, a legend, a scale of logarithms and a colour bar."""
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    left.plot([1, 2], [1, 10], marker="o", label="$x_1^2$")
    left.bar([1, 2], [3, 4])
    left.scatter([1, 2], [3, 4])
    left.annotate("text", (1, 2))
    left.set(xlabel="x", ylabel=r"$\sqrt{d}$", title="title", yscale="log")
    left.legend()
    figure.colorbar(right.imshow([[1, 2], [3, 4]]))
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")


def fail() -> None:
    """A cell as IPython reads it, and a traceback, for whose first one `inspect` looks for the files of all modules."""
    TransformerManager().transform_cell("a = 1\nassert a == 1, 'a message'\n")
    try:
        raise AssertionError("a message")
    except AssertionError:
        FormattedTB(mode="Context").structured_traceback(*sys.exc_info())
