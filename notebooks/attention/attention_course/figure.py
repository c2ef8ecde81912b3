"""How figures of the course look, and how they are shown: with a text for whoever can't see them."""

import io

import matplotlib.pyplot as plt
from IPython.display import Image, display

# Okabe and Ito's colours for the colour-blind, dark to light in grey (2008, https://jfly.uni-koeln.de/color/).
BLACK, BLUE, GREEN, RED, ORANGE, SKY, YELLOW = "#000000 #0072B2 #009E73 #D55E00 #E69F00 #56B4E9 #F0E442".split()
SMALLEST = 9  # points, of any text


def show(figure, alt) -> None:
    """Shows a figure below the cell and closes it; `alt` says in a sentence or two what is to be seen."""
    display(Image(png(figure), format="png", alt=" ".join(alt.split())))


def png(figure) -> bytes:
    """A figure as a PNG file; it is closed."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    plt.close(figure)
    return buffer.getvalue()
