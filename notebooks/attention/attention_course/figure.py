"""How figures of the course look, and how they are shown: with a text for whoever can't see them.

Figures draw fast because nothing is worked out: panel positions are given in inches, there is no layout step, and
pyplot keeps no record of a figure.
"""

import struct
import zlib

import numpy as np
from IPython.display import Image, display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from attention_course.labels import Label, write

# Okabe and Ito's colours for the colour-blind, dark to light in grey (2008, https://jfly.uni-koeln.de/color/).
BLACK, BLUE, GREEN, RED, ORANGE, SKY, YELLOW = "#000000 #0072B2 #009E73 #D55E00 #E69F00 #56B4E9 #F0E442".split()
SMALLEST = 9  # points, of any text
DPI = 100
EDGE = 0.04  # inches that nothing is drawn in, around a figure


class Panel(Axes):
    """Axes whose title is a label right above them; matplotlib looks for ticks above each title, at each draw."""

    def set_title(self, label, *, loc="center", pad=6.0, fontsize=12, **options) -> Label:
        """Writes a title, `pad` points above the axes; called once."""
        x = {"left": 0, "center": 0.5, "right": 1}[loc]
        look = {"ha": loc, "va": "baseline", "offset": (0, pad), "fontsize": fontsize, **options}
        return write(self, x, 1, label, transform=self.transAxes, **look)


def subplots(
    rows=1, columns=1, *, figsize, left=EDGE, right=EDGE, bottom=EDGE, top=0.25, across=0.1, down=0.3, **options
) -> tuple:
    """A figure and its axes, `left`, `right`, `bottom` and `top` inches from its edges.

    `across` and `down`: inches between two columns, and two rows. Other options as for `Figure.subplots`.
    """
    width, height = figsize
    figure = Figure(figsize=figsize, dpi=DPI)
    FigureCanvasAgg(figure)
    wide, high = (width - left - right - (columns - 1) * across) / columns, height - bottom - top - (rows - 1) * down
    place = {"left": left / width, "right": 1 - right / width, "bottom": bottom / height, "top": 1 - top / height}
    spaces = {"wspace": across / wide, "hspace": down * rows / high}
    return figure, figure.subplots(
        rows, columns, gridspec_kw=place | spaces, subplot_kw={"axes_class": Panel}, **options
    )


def heading(figure, text, *, fontsize=12) -> None:
    """Writes a text above all panels of a figure."""
    place = {"transform": figure.transFigure, "ha": "center", "va": "top", "fontsize": fontsize}
    write(figure, 0.5, 1 - EDGE / figure.get_size_inches()[1], text, **place)


def lines(axes, pieces, colours, styles="-", width=1.5, **options) -> None:
    """Draws lines as one thing, below all others: of each its points, its colour and its style.

    Options as for `LineCollection`; the limits of the axes stay as they are.
    """
    look = {"colors": colours, "linestyles": styles, "linewidths": width, "zorder": 1}
    axes.add_collection(LineCollection(pieces, **look, **options), autolim=False)


def show(figure, alt) -> None:
    """Shows a figure below the cell; `alt` describes the picture in a sentence or two."""
    display(Image(png(figure), format="png", alt=" ".join(alt.split())))


def png(figure) -> bytes:
    """A figure from `subplots` as a PNG file."""
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())
    height, width, channels = pixels.shape
    # Rows as they are, without a filter, which flat colours gain nothing from: half the time of Pillow, and smaller.
    rows = np.zeros((height, 1 + channels * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    metre = round(DPI / 0.0254)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits each of red, green, blue and alpha
    chunks = ((b"IHDR", header), (b"pHYs", struct.pack(">IIB", metre, metre, 1)), (b"IDAT", zlib.compress(rows, 3)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in (*chunks, (b"IEND", b"")))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
