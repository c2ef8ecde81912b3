"""Figures of the course as they are shown: no text is too small, and the words that stand for each are kept."""

import contextlib
from collections.abc import Iterator
from types import ModuleType

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

SMALLEST = 9  # points


@contextlib.contextmanager
def seen(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What stands for each figure that a module of the course shows meanwhile; each is drawn, and closed."""
    yield taken(module, monkeypatch)
    assert plt.get_fignums() == [], "a figure stays open"


@contextlib.contextmanager
def kept(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple]]:
    """The figures that a module of the course shows meanwhile, each with what stands for it; they are closed after."""
    found: list[tuple] = []
    monkeypatch.setattr(module, "show", lambda figure, alt: found.append((figure, alt)))
    yield found
    for figure, _ in found:
        plt.close(figure)


def apart(figure) -> bool:
    """Whether no text of a figure touches another one, nor the figure's edge."""
    figure.canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    boxes = [text.get_window_extent().padded(-1) for text in texts]
    within = all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
    return within and not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])


def taken(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The alt texts of the figures that a module shows from now on, in place of showing them."""
    alts: list[str] = []
    matplotlib.use("agg")
    monkeypatch.setattr(module, "show", lambda figure, alt: _look(figure, alt, alts))
    return alts


def _look(figure, alt: str, shown: list[str]) -> None:
    """Draws a figure and closes it; its words are kept."""
    figure.canvas.draw()
    small = [t.get_text() for t in figure.findobj(Text) if t.get_text().strip() and t.get_fontsize() < SMALLEST]
    assert small == [], "text below 9 pt"
    shown.append(" ".join(alt.split()))
    plt.close(figure)
