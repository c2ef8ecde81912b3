"""How figures of the course look, and how they are shown: with a text for whoever can't see them."""

import io

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image, display

# Okabe and Ito's colours for the colour-blind, dark to light in grey (2008, https://jfly.uni-koeln.de/color/).
BLACK, BLUE, GREEN, RED, ORANGE, SKY, YELLOW = "#000000 #0072B2 #009E73 #D55E00 #E69F00 #56B4E9 #F0E442".split()
SMALLEST = 9  # points, of any text


plt.rcParams["axes.titley"] = 1.0  # matplotlib looks for ticks above each title otherwise, four times per figure


def subplots(rows=1, columns=1, **options) -> tuple:
    """A figure whose axes leave room for each other's texts, and its axes; options as for `plt.subplots`."""
    return plt.subplots(rows, columns, layout="constrained", **options)


def show(figure, alt) -> None:
    """Shows a figure below the cell and closes it; `alt` says in a sentence or two what is to be seen."""
    display(Image(png(figure), format="png", alt=" ".join(alt.split())))


def png(figure) -> bytes:
    """A figure from `subplots` as a PNG file; it is closed.

    `savefig` would go through all that is drawn twice: once to find the places, once more to draw it there.
    """
    figure.set_dpi(100)
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    figure.canvas.draw()
    buffer = io.BytesIO()
    # Level 3 takes two thirds of the time of level 6, the default, for files 1 % larger.
    plt.imsave(buffer, np.asarray(figure.canvas.buffer_rgba()), format="png", dpi=100, pil_kwargs={"compress_level": 3})
    plt.close(figure)
    return buffer.getvalue()
