"""Short texts and scales for figures that have many: matplotlib's own are slow, because each works out its place.

A label's letters become a small image once; figures that hold the same words again, such as the numbers of heads,
use it again. A scale is one line of marks and its labels, where matplotlib would make five things per mark.
"""

import functools
import math
from itertools import compress
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

MARK = 3.5  # points, of a scale's marks, and from there to their labels
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Label(Text):
    """A plain text, upright, in one colour and without a box; any other is drawn as matplotlib does it.

    One that is `opaque` hides what is behind it.
    """

    opaque = False

    def draw(self, renderer) -> None:
        """Puts the images of its lines where the text belongs, on whole pixels."""
        text = self.get_text()
        if "$" in text or self.get_rotation() or self.get_bbox_patch() or not self.get_visible():
            super().draw(renderer)
            return
        dpi = self.get_figure(root=True).dpi
        lines = [_letters(line, self.get_fontsize(), self.get_fontweight(), dpi) for line in text.split("\n")]
        gap = lines[0].gap if len(lines) > 1 else 0  # a half above each line, a half below
        height = sum(line.ascent + line.descent + gap for line in lines)
        x, y = self.get_transform().transform(self.get_unitless_position())
        side = {"left": 0, "center": 0.5, "right": 1}[self.get_horizontalalignment()]
        last = height - lines[-1].descent - gap / 2  # the baseline of the last line
        y += {"top": 0, "center": height / 2, "bottom": height, "baseline": last}[self.get_verticalalignment()]
        ink, context = [round(255 * share) for share in to_rgb(self.get_color())], renderer.new_gc()
        for line in lines:
            baseline = y - line.ascent - gap / 2
            image = np.empty((*line.letters.shape, 4), dtype=np.uint8)
            image[:, :, :3], image[:, :, 3] = ink, line.letters
            if self.opaque:
                covered = image[:, :, 3:] / 255
                image[:, :, :3], image[:, :, 3] = covered * ink + (1 - covered) * 255, 255
            renderer.draw_image(context, round(x - side * line.width + line.left), round(baseline + line.below), image)
            y = baseline - line.descent - gap / 2
        context.restore()


def write(axes, x, y, text, *, transform=None, offset=(0, 0), opaque=False, **options) -> Label:
    """Writes a text into axes, `offset` points from a place; other options are those of `Axes.text`."""
    there = transform or axes.transData
    if any(offset):
        right, above = offset
        there += ScaledTranslation(right / 72, above / 72, axes.get_figure(root=True).dpi_scale_trans)
    label = Label(x, y, str(text), transform=there, clip_on=False, **options)
    label.opaque = opaque
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
            room = max(_letters(text, size, "normal", figure.dpi).width for text in labels) * 72 / figure.dpi
        place = {"ha": "right", "va": "baseline", "offset": (-2 * MARK, -0.36 * size)}  # half of a digit's height
        written = zip(zeros, at, labels, strict=False)
    for x, y, text in written:
        write(axes, x, y, text, transform=along, fontsize=size, **place)
    if name:
        axis.set_label_text(name)
        axis.labelpad = axis.labelpad + 2 * MARK + room


def _marks(axis, at, labels) -> tuple[list[float], list[str]]:
    """Where an axis has marks within its limits, and their labels."""
    low, high = sorted(axis.get_view_interval())
    log, slack = axis.get_scale() == "log", 1e-6 * (high - low)
    if at is None and log:
        at = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    elif at is None:
        at = axis.get_majorticklocs()
    if labels is None and log:
        labels = [f"10{str(round(math.log10(place))).translate(RAISED)}" for place in at]
    elif labels is None:
        labels = axis.get_major_formatter().format_ticks(at)
    seen = [low - slack <= place <= high + slack for place in at]
    return list(compress(at, seen)), list(compress(labels, seen))


class Letters(NamedTuple):
    """How far each pixel of a line is covered, from 0 to 255, top row first; all else in pixels.

    The image starts `left` of the line's start and `below` its baseline; `gap` is what stands between two lines.
    """

    letters: np.ndarray
    left: float
    below: float
    width: float
    ascent: float
    descent: float
    gap: float


@functools.lru_cache(1000)
def _letters(text, size, weight, dpi) -> Letters:
    font = get_font(findfont(FontProperties(weight=weight)))
    font.set_size(size, dpi)
    font.set_text(text, flags=LoadFlags.DEFAULT)
    font.draw_glyphs_to_bitmap()
    width, height = (number / 64 for number in font.get_width_height())
    descent, table, pixels = font.get_descent() / 64, font.get_sfnt_table("OS/2"), size * dpi / 72 / font.units_per_EM
    return Letters(
        np.asarray(font.get_image())[::-1],
        font.get_bitmap_offset()[0] / 64 - 0.5,
        -descent - 1,  # the image has an empty row at its edge
        width,
        max(height - descent, table["sTypoAscender"] * pixels),
        max(descent, -table["sTypoDescender"] * pixels),
        table["sTypoLineGap"] * pixels,
    )
