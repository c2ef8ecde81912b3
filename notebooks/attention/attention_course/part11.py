"""Part 11's visible check and figure: the shapes of the example, and its two rows as arrows."""

import numpy as np

from attention_course.answers import named, picture
from attention_course.figure import BLUE, ORANGE, show, subplots
from attention_course.labels import scale
from attention_course.table import Table, expect, numbers

SHAPES = {"W_DKV_MLA": (1, 2), "W_UM_MLA": (2, 1), "product": (2, 2)}
LENGTH = 20  # points, of an arrow that is drawn with its full width and tip; a shorter one is thinner


def check_part11(names):
    """Looks at names and shapes; whether the example shows what the task asks for stays open."""
    table = Table(11)
    for name, shape in SHAPES.items():
        with table.line(f"{name} has shape {shape}"):
            value = named(names, name)
            expect(value is not None, "got None")
            expect(not (isinstance(value, tuple) and value == shape), "expected numbers, got the shape itself")
            found = numbers(value).shape
            expect(found == shape, f"expected shape {shape}, got {found}")
    table.end()


def draw_part11(names):
    """Shows the rows of two stacked copies, and next to them the rows of your product, as arrows."""
    with picture():
        product = np.asarray(numbers(named(names, "product")), dtype=float)
        expect(product.shape == (2, 2), f"expected `product` of shape (2, 2), got {product.shape}")
        expect(np.isfinite(product).all(), "expected finite numbers in `product`")
        copies = np.stack([product[0], product[0]])
        for what, rows in (("two copies of your row 0", copies), ("your product", product)):
            print(f"{what}: head 0 reads {_written(rows[0])}, head 1 reads {_written(rows[1])}")

        figure, panels = subplots(
            1, 2, figsize=(9, 4.6), left=1.0, right=0.05, bottom=0.48, top=0.62, across=0.2, sharex=True, sharey=True
        )
        reach = 1.25 * (np.abs(product).max() or 1.0)
        _draw_rows(panels[0], copies, reach, "GQA with G = 1: both heads get one row")
        _draw_rows(panels[1], product, reach, "Your product: a row per head")
        right, up = product[0]
        panels[0].legend(fontsize=10, loc="lower left" if right > 0 > up else "lower right", frameon=False)
        show(
            figure,
            f"""Two panels with arrows from the origin of a plane. Left: the rows of two stacked copies, both
            {_written(product[0])}. Right: the two rows of your product, {_written(product[0])} and
            {_written(product[1])}, and the lines through the origin on which they lie.""",
        )


def _written(row):
    return "(" + ", ".join(f"{number:.4g}" for number in row + 0.0) + ")"


def _draw_rows(axes, rows, reach, title):
    """The two rows as arrows; the second one is thinner and dashed, so that both are seen where they coincide."""
    axes.axhline(0, color="0.85", zorder=0)
    axes.axvline(0, color="0.85", zorder=0)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    box = axes.get_window_extent()
    points = 72 / axes.figure.dpi * min(box.width, box.height) / (2 * reach)  # that one unit of a row takes
    for h, (colour, width, style, tip) in enumerate(((BLUE, 6, "-", 30), (ORANGE, 2.5, "--", 18))):
        end = rows[h]
        thin = min(1.0, points * np.hypot(*end) / LENGTH)  # a tip longer than its arrow would point backwards
        if end.any():
            axes.axline((0, 0), tuple(end), color="0.7", linewidth=0.8, zorder=0)
        if thin > 0.4:
            arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": thin * width, "linestyle": style}
            arrow |= {"mutation_scale": thin * tip, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", end, (0, 0), arrowprops=arrow)
        else:
            axes.plot(*end, "o", color=colour, markersize=tip / 2)
        axes.plot([], [], color=colour, linewidth=width, linestyle=style, label=f"row {h}: head {h}")
    axes.set_title("\n".join([title, *(f"row {h}: {_written(row)}" for h, row in enumerate(rows))]), fontsize=10)
    marks = (-reach / 2, 0, reach / 2)
    labels = [f"{mark:.3g}" for mark in marks]
    scale(axes, "x", marks, labels, name="entry 0 of the row")
    first = axes.get_subplotspec().is_first_col()
    scale(axes, "y", marks, labels if first else [], name="entry 1 of the row")
