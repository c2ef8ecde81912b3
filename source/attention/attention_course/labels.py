"""Short texts and scales for figures that have many: matplotlib's own are slow, because each works out its place.

A label's letters become a small image once; figures that hold the same words again, such as the numbers of heads,
use it again. A scale is one line of marks and its labels, where matplotlib would make five things per mark.
"""

import math
from itertools import compress

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from attention_course.letters import letters

MARK = 3.5  # points, of a scale's marks, and from there to their labels
MOST = 9  # marks on a log scale, and one more
NAME = 4  # points, from a scale to its name
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Label(Text):
    """A text in one colour, upright or turned to the left; any other is drawn as matplotlib does it.

    What is behind it is hidden by the colour `behind`, unless that is None, up to `margin` points around it.
    """

    behind, margin = None, 0.0

    def draw(self, renderer) -> None:
        """Puts the images of its lines where the text belongs, on whole pixels."""
        size, weight, dpi = self.get_fontsize(), self.get_fontweight(), self.get_figure(root=True).dpi
        lines = [letters(line, size, weight, dpi) for line in self.get_text().split("\n")]
        turned = self.get_rotation() == 90
        if None in lines or self.get_rotation() not in (0, 90) or self.get_bbox_patch() or not self.get_visible():
            super().draw(renderer)
            return
        gap = lines[0].gap if len(lines) > 1 else 0  # a half above each line, a half below
        width, height = max(line.width for line in lines), sum(line.ascent + line.descent + gap for line in lines)
        wide, high = (height, width) if turned else (width, height)
        side = {"left": 0, "center": 0.5, "right": 1}[self.get_horizontalalignment()]
        last = (lines[-1].descent + gap / 2) / height  # the baseline of the last line
        above = {"bottom": 0, "center": 0.5, "top": 1, "baseline": last}[self.get_verticalalignment()]
        x, y = self.get_transform().transform(self.get_unitless_position())
        left, bottom, context = x - side * wide, y - above * high, renderer.new_gc()
        if self.behind is not None:
            more = self.margin * dpi / 72
            image = np.full((round(high + 2 * more), round(wide + 2 * more), 4), 255, dtype=np.uint8)
            image[:, :, :3] = _ink(self.behind)
            renderer.draw_image(context, round(left - more), round(bottom - more), image)
        ink, top = _ink(self.get_color()), height
        for line in lines:
            baseline = top - line.ascent - gap / 2
            along, up = (0.5 if turned else side) * (width - line.width) + line.left, baseline + line.below
            image = np.empty((*line.letters.shape, 4), dtype=np.uint8)
            image[:, :, :3], image[:, :, 3] = ink, line.letters
            if turned:
                image, along, up = image.swapaxes(0, 1)[:, ::-1], height - up - len(image), along
            renderer.draw_image(context, round(left + along), round(bottom + up), np.ascontiguousarray(image))
            top = baseline - line.descent - gap / 2
        context.restore()


def _ink(colour) -> list[int]:
    return [round(255 * share) for share in to_rgb(colour)]


def write(axes, x, y, text, *, transform=None, offset=(0, 0), behind=None, margin=0.0, **options) -> Label:
    """Writes a text into axes or a figure, `offset` points from a place; other options are those of `Axes.text`.

    What is behind it is hidden by the colour `behind`, up to `margin` points around it.
    """
    there = transform or axes.transData
    if any(offset):
        right, above = offset
        there += ScaledTranslation(right / 72, above / 72, axes.get_figure(root=True).dpi_scale_trans)
    label = Label(x, y, str(text), transform=there, clip_on=False, **options)
    label.behind, label.margin = behind, margin
    axes.add_artist(label)
    return label


def scale(axes, which, at=None, labels=None, *, name="", size=10) -> None:
    """Draws the scale of axes that have their limits, "x" or "y": marks, labels and a name.

    Without `at`, marks stand where matplotlib would set them; `labels` is empty where another panel has them.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    at, labels = _marks(axis, at, labels)
    axes.tick_params(axis=which, which="both", bottom=False, labelbottom=False, left=False, labelleft=False)
    marks = {"linestyle": "", "markersize": MARK, "markeredgewidth": 0.8, "color": "black", "clip_on": False}
    figure, zeros = axes.get_figure(root=True), [0] * len(at)
    if which == "x":
        along, room = axes.get_xaxis_transform(), 1.18 * size * (1 + max((t.count("\n") for t in labels), default=0))
        figure.add_artist(Line2D(at, zeros, marker=TICKDOWN, transform=along, zorder=2.01, **marks))
        place = {"ha": "center", "va": "top", "offset": (0, -2 * MARK)}
        written = zip(at, zeros, labels, strict=False)
    else:
        along, room = axes.get_yaxis_transform(), 0.0
        figure.add_artist(Line2D(zeros, at, marker=TICKLEFT, transform=along, zorder=2.01, **marks))
        if labels:
            room = max(letters(text, size, "normal", figure.dpi).width for text in labels) * 72 / figure.dpi
        place = {"ha": "right", "va": "baseline", "offset": (-2 * MARK, -0.36 * size)}  # half of a digit's height
        written = zip(zeros, at, labels, strict=False)
    for x, y, text in written:
        write(axes, x, y, text, transform=along, fontsize=size, **place)
    if name:
        away, middle = NAME + 2 * MARK + room, {"transform": axes.transAxes, "fontsize": 10}
        if which == "x":
            write(axes, 0.5, 0, name, ha="center", va="top", offset=(0, -away), **middle)
        else:
            write(axes, 0, 0.5, name, ha="right", va="center", rotation=90, offset=(-away, 0), **middle)


def _marks(axis, at, labels) -> tuple[list[float], list[str]]:
    """Where an axis has marks within its limits, and their labels."""
    low, high = sorted(axis.get_view_interval())
    log, slack = axis.get_scale() == "log", 1e-6 * (high - low)
    if at is None and log:
        first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
        at = [10.0**power for power in range(first, last + 1, max(1, math.ceil((last - first) / MOST)))]
    elif at is None:
        at = axis.get_majorticklocs()
    if labels is None and log:
        labels = [f"10{str(round(math.log10(place))).translate(RAISED)}" for place in at]
    elif labels is None:
        labels = axis.get_major_formatter().format_ticks(at)
    seen = [low - slack <= place <= high + slack for place in at]
    return list(compress(at, seen)), list(compress(labels, seen))
