"""What libraries do at their first use, done once before the first kernel is forked, so that no kernel has to do it.

Like the zygote it stands alone. It computes on one thread, draws no random numbers, and leaves what a notebook sees as
it was: no figure of pyplot's, no backend chosen, no shell.
"""

import contextlib
import functools
import io
import os
import sys
import threading
import zlib
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import sympy
import torch
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.ultratb import FormattedTB
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

# Drawn before the first fork: labels of figures that stand in the course's package, which every student has, by size in
# points and weight. They say no answer, as little as numbers of two digits do.
LABELS = {
    (9, "normal"): r"0.2|0.3|0.4|1.0|100|D_1|D_2|c",
    (10, "normal"): (
        r"0.2|0.4|0.6|0.8|1.0|10 000|100|1000|16k|1M|1k|256k|4k|64k|DeepSeek-V2 236B|DeepSeek-V3 671B|"
        r"GQA with G = 1: both heads get one row|LLaMA 7B|Llama 2 70B|Llama 3 405B|Mistral 7B|"
        r"Your product: a row per head|attended word of y, and its position $l_2$|"
        r"attending word of x, and its position $l_1$|entry 0 of the row|entry 1 of the row|fits|"
        r"k, latent numbers kept|key/value head $g$|"
        r"kv-cache in KiB per token, all layers, 2 bytes per number (log scale)|logit|logits times the factor|"
        r"mean squared error (log scale)|memory in GiB, 2 bytes per number (log scale)|"
        r"numbers kept per position, for the keys alone|query head $h$|query heads|rows of your $A\,W$|"
        r"rows of your $B\,\widetilde{W}$|share per unit|the noise alone: 0.01|tokens in each conversation|"
        r"tokens in the cache|vectors|weight|your MHA"
    ),
    (11, "normal"): (
        r"$\Sigma\,\alpha$|$\hat q\cdot\hat k$|Keys and values per position: one of each per key/value head|"
        r"Output, vanilla: every head has a value of its own|"
        r"The pairing: query head h reads key/value head g if h ≡ g (mod 3)|"
        r"What your matrices do, with d = 1: the number of a row of $W$, or ? for none|key|keys|one user|"
        r"output|queries|query|q·k|token|value|values|x|y"
    ),
    (12, "normal"): (
        r"Head 0 attends to the same meaning|Head 1 attends to the same place in the sentence|"
        r"How thin can the latent be? A noisy stack of six copies, D = 24|What one token leaves in the cache"
    ),
    (13, "normal"): (
        r"$W^O$|$W^O_h$|$W^Q_h$|$W^{DKV}$|$W^{UK}_h$|$W^{UV}_h$|$\hat K$|$\hat O_h$|$\hat Q_h$|$\hat V$|$o$|"
        r"$x^{out}$"
    ),
    (14, "normal"): r"+|=",
}
NUMBERS = range(25)
OF_NUMBERS = ((9, "normal"), (10, "normal"), (10, "bold"), (11, "normal"))


def warm() -> None:
    """Uses a little of everything that notebooks use."""
    compute()
    with fonts_held():
        draw()
    label()
    fail()


def compute() -> None:
    """Products, a softmax, an SVD, symbols, and what they look like when printed."""
    ones = torch.ones(2, 2, 2, device=torch.get_default_device())
    torch.einsum("abc,acd->abd", ones, ones).softmax(-1)
    torch.nn.functional.scaled_dot_product_attention(ones, ones, torch.nn.Linear(2, 2, bias=False)(ones))
    left, values, right = np.linalg.svd(np.eye(2))
    np.einsum("ab,b,bc->ac", left, values, right)
    a, b = sympy.symbols("a b", positive=True)
    repr([ones.double() @ ones.double(), np.eye(2), sympy.simplify((a * b + b) / b)])


def draw() -> None:
    """What the course's figures are made of: letters of three fonts, formulas, lines, squares, a legend, and pixels."""
    figure = Figure(figsize=(4, 2), dpi=100)
    canvas = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, gridspec_kw={"left": 0.1, "wspace": 0.2})
    left.plot([1, 2], [1, 10], marker="o", label=r"$\hat x_1^2$")
    left.bar([1, 2], [3, 4])
    left.hist([1, 2], bins=2, histtype="stepfilled")
    left.scatter([1, 2], [3, 4], color=["#000000", "#ffffff"])
    left.annotate("text", (1, 2), (2, 1), arrowprops={"arrowstyle": "->"})
    left.text(1, 1, "text", weight="bold", bbox={"boxstyle": "round,pad=0.3"})
    left.set(xlabel="x", ylabel=r"$\sqrt{d}$", title="title", yscale="log")
    left.legend()
    left.add_collection(LineCollection([[(1, 1), (2, 2)]], linestyles=["--"]), autolim=False)
    left.add_collection(PolyCollection(np.ones((1, 4, 2))), autolim=False)
    figure.colorbar(right.imshow([[1, 2], [3, 4]], cmap="Blues"))
    canvas.draw()
    zlib.compress(canvas.buffer_rgba(), 3)
    for weight, style in (("normal", "normal"), ("bold", "normal"), ("normal", "oblique")):
        font_manager.get_font(font_manager.findfont(font_manager.FontProperties(weight=weight, style=style)))


def label() -> None:
    """Images of labels, which the course's package keeps, if it is loaded, for as long as no cell sets another font."""
    figure, letters = (sys.modules.get(f"attention_course.{name}") for name in ("figure", "letters"))
    if letters is None:
        return
    labels = [(text, *of) for of, texts in LABELS.items() for text in texts.split("|")]
    labels += [(str(number), *of) for of in OF_NUMBERS for number in NUMBERS]
    for text, size, weight in labels:
        letters.letters(text, size, weight, figure.DPI)


@contextlib.contextmanager
def fonts_held() -> Iterator[None]:
    """Each font that is used meanwhile lies in memory, and is open in every kernel.

    matplotlib has a forked process open its fonts again, because a file has one place that is read next, whoever reads
    it; memory has one in each process. From a file fonts are read letter by letter, which takes longer than to draw.
    A fork of a process that has opened others since opens all again.
    """
    fonts = font_manager._get_font = functools.lru_cache(64)(font_manager._get_font.__wrapped__)
    font_manager.threading = of_main_threads()
    open_file = io.open

    def in_memory(path: str, mode: str) -> "InMemory":
        with open_file(path, mode) as file:
            return InMemory(path, file.read())

    io.open = in_memory
    try:
        yield
    finally:
        io.open = open_file
    opened = fonts.cache_info().misses

    def forked() -> None:
        nonlocal opened
        if fonts.cache_info().misses != opened:
            fonts.cache_clear()
            opened = -1  # whatever is opened from here on lies in files

    os.register_at_fork(after_in_child=forked)


def of_main_threads() -> SimpleNamespace:
    """`threading`, in which the main thread of each fork has this one's number.

    matplotlib keeps a font for each thread, and a kernel's main thread is the one that forked it.
    """
    here, number, main = threading.get_ident(), threading.get_ident, threading.main_thread
    own = {"get_ident": lambda: here if number() == main().ident else number()}
    return SimpleNamespace(**vars(threading) | own)


class InMemory(io.BytesIO):
    """What a file holds, with the file's name."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def fail() -> None:
    """A cell as IPython reads it, and a traceback, for whose first one `inspect` looks for the files of all modules."""
    TransformerManager().transform_cell("a = 1\nassert a == 1, 'a message'\n")
    try:
        raise AssertionError("a message")
    except AssertionError:
        FormattedTB(mode="Context").structured_traceback(*sys.exc_info())
