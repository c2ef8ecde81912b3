"""The pictures of a class report: marks as a heat map, the items, the mistakes; SVG that is read in colour and in grey.

Each function returns the picture's SVG and a text that says the same in words. Names are texts of students and are
drawn as they stand, never as formulas.
"""

import io
import math
import warnings
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grading.core.course import Part
from grading.pages.class_data import ClassResults, Item

NAMED = 40  # students whose names and marks stand in the heat map; more are drawn as lines between percentiles
LEAST = 5  # students from whom a correlation is worth a number
SHOWN_MISTAKES = 25
DARK, MIDDLE, LIGHT, ALARM = "#1f4e79", "#8c9bab", "#dde3ea", "#b3400f"
_STYLE = {
    "svg.fonttype": "none",  # the reader's own fonts, which also have the letters that ours lack
    "svg.hashsalt": "class report",
    "font.size": 9,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@dataclass(frozen=True)
class Rest:
    """How an item goes with the rest of the marks: a correlation from -1 to 1, or None and why there is none."""

    r: float | None
    students: int
    why: str = ""

    @property
    def chance(self) -> float:
        """Correlations up to this, either way, come about by chance in 19 of 20 classes of this size."""
        return math.tanh(1.96 / math.sqrt(self.students - 3)) if self.students > 3 else 1.0


def item_rest(results: ClassResults) -> dict[Item, Rest]:
    """The correlation of each item with the total of all else, over the students who are marked on every part."""
    complete = np.array([student.complete for student in results.students], dtype=bool)
    totals = np.array([student.total for student in results.students])
    out = {}
    for column, item in enumerate(results.items):
        won = results.won[:, column]
        known = complete & ~np.isnan(won)
        x, rest, n = won[known], (totals - won)[known], int(known.sum())
        if n < LEAST:
            out[item] = Rest(None, n, f"fewer than {LEAST} students")
        elif np.ptp(x) == 0:
            all_won = "everyone has all its points" if x[0] == item.points else "everyone has the same"
            out[item] = Rest(None, n, "nobody has a point" if x[0] == 0 else all_won)
        elif np.ptp(rest) < 1e-9:
            out[item] = Rest(None, n, "the other marks are all equal")
        else:
            out[item] = Rest(float(np.corrcoef(x, rest)[0, 1]), n)
    return out


def shares(results: ClassResults) -> list[float]:
    """The share of an item's points that the class won, from 0 to 1, over those whom it was looked at."""
    return [float(np.nanmean(results.won[:, n])) / item.points for n, item in enumerate(results.items)]


def heat_map(results: ClassResults) -> tuple[str, str]:
    """Every student's share of each part's points, and the total next to it; sorted by total."""
    ranked, parts = results.ranked, results.course.parts
    marks = [[math.nan if s.marks[p.number] is None else s.marks[p.number] / p.points for p in parts] for s in ranked]
    values, many = np.array(marks), len(ranked) > NAMED
    height = 6.2 if many else 0.27 * len(ranked)  # of the map alone, in inches
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.4, height + 1.35), layout="constrained")
        places = figure.add_gridspec(2, 2, width_ratios=[14, 2.6], height_ratios=[height, 0.12])
        grid = figure.add_subplot(places[0, 0])
        totals = figure.add_subplot(places[0, 1], sharey=grid)
        colours = mpl.colormaps["cividis"].with_extremes(bad="white")
        image = grid.imshow(
            np.ma.masked_invalid(values), colours, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        _hatch_unmarked(grid, np.isnan(values))
        grid.set_xticks(range(len(parts)), [f"{p.number}\n/{p.points}" for p in parts])
        grid.xaxis.tick_top()
        grid.tick_params(length=0)
        grid.set_xlabel("part, and below it its points")
        grid.xaxis.set_label_position("top")
        for spine in [*grid.spines.values(), totals.spines["left"]]:
            spine.set_visible(False)
        _totals(totals, [s.total for s in ranked], results.course.points, many)
        if many:
            rows = [round(share * (len(ranked) - 1)) for share in (0, 0.25, 0.5, 0.75, 1)]
            names = ("highest", "upper quarter", "median", "lower quarter", "lowest")
            grid.set_yticks(rows, [f"{n}\n{ranked[r].total:.3g}" for n, r in zip(names, rows, strict=True)])
            grid.set_ylabel(f"{len(ranked)} students, a line each, by total")
        else:
            grid.set_yticks(range(len(ranked)), [_short(s.name, 24) for s in ranked])
            _write_marks(grid, ranked, parts, values)
        bar = figure.colorbar(image, cax=figure.add_subplot(places[1, :]), orientation="horizontal")
        bar.set_ticks([0, 0.25, 0.5, 0.75, 1], labels=["0 %", "25 %", "50 %", "75 %", "100 %"])
        bar.set_label("share of the part's points; hatched: not marked" if np.isnan(values).any() else _SHARE)
        svg = _svg(figure)
    best, worst = (f(range(len(parts)), key=lambda n: _mean(values[:, n])) for f in (max, min))
    who = f"{len(ranked)} {'student' if len(ranked) == 1 else 'students'}"
    text = f"Heat map of the marks of {who} in {len(parts)} parts. "
    text += f"Most points were won in part {parts[best].number} ({percent(_mean(values[:, best]))}), "
    text += f"fewest in part {parts[worst].number} ({percent(_mean(values[:, worst]))}). "
    text += "The table below holds all numbers."
    return svg, text


_SHARE = "share of the part's points"


def _hatch_unmarked(axes: Axes, unmarked: np.ndarray) -> None:
    for row, column in zip(*np.nonzero(unmarked), strict=True):
        box = (column - 0.5, row - 0.5)
        axes.add_patch(mpl.patches.Rectangle(box, 1, 1, fill=False, hatch="////", edgecolor="#777777", linewidth=0))


def _totals(axes: Axes, totals: list[float], points: float, many: bool) -> None:
    """A bar a student, of all points of the course; with its number where there is room."""
    if many:
        edges = np.repeat(np.arange(len(totals) + 1) - 0.5, 2)[1:-1]
        axes.fill_betweenx(edges, np.repeat(totals, 2), color=MIDDLE, linewidth=0)
    else:
        axes.barh(range(len(totals)), totals, height=0.72, color=LIGHT)
    axes.set_xlim(0, points)
    axes.set_xticks([0, points / 2, points], [f"{tick:g}" for tick in (0, points / 2, points)])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("total")
    axes.tick_params(axis="y", length=0, labelleft=False)
    if many:
        mean = float(np.mean(totals))
        axes.axvline(mean, color="black", linewidth=1, linestyle="--")
        axes.text(
            mean - 0.03 * points,
            len(totals) * 0.985,
            f"mean {mean:.{0 if points >= 50 else 1}f}",
            rotation=90,
            ha="right",
        )
        axes.texts[-1].set_verticalalignment("bottom")
    else:
        for row, total in enumerate(totals):
            axes.text(0.04 * points, row, f"{total:g}", va="center", weight="bold")


def _write_marks(axes: Axes, ranked: list, parts: list[Part], values: np.ndarray) -> None:
    for row, student in enumerate(ranked):
        for column, part in enumerate(parts):
            mark = student.marks[part.number]
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1} if mark is None else None
            colour = "black" if mark is None or values[row, column] > 0.47 else "white"
            text = "?" if mark is None else f"{mark:.3g}"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8.5, bbox=box)


def item_figure(results: ClassResults, rest: dict[Item, Rest]) -> tuple[str, str]:
    """How much of each item's points the class won, and how each item goes with the rest of the marks."""
    items, won = results.items, shares(results)
    rows = np.arange(len(items))
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.4, 1.3 + 0.215 * len(items)), layout="constrained")
        correlated = any(one.r is not None for one in rest.values())
        left, *right = figure.subplots(1, 1 + correlated, sharey=True, squeeze=False)[0]
        for axes in (left, *right):
            for row, item in enumerate(items):
                if item.part % 2 == 0:
                    axes.axhspan(row - 0.5, row + 0.5, color="#f1f3f6", zorder=0, linewidth=0)
        left.barh(rows, won, height=0.66, color=DARK)
        for row, share in enumerate(won):
            inside = share > 0.82
            left.text(
                share - 0.015 if inside else share + 0.015, row, percent(share), va="center",
                ha="right" if inside else "left", color="white" if inside else "black", fontsize=7.5,
            )  # fmt: skip
        left.set(xlim=(0, 1), ylim=(len(items) - 0.5, -0.5), xlabel="share of the points won")
        left.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
        left.set_yticks(rows, [f"{i.part} · {_short(i.what, 34)} ({i.points:g})" for i in items], fontsize=8)
        left.tick_params(axis="y", length=0)
        for axes in right:
            _correlations(axes, [rest[item] for item in items])
        for axes in (left, *right):
            axes.spines["left"].set_visible(False)
            axes.secondary_xaxis("top").set_xticks(axes.get_xticks(), axes.get_xticklabels())
        svg = _svg(figure)
    hard = sorted(range(len(items)), key=lambda n: won[n])[:3]
    text = "Bars: the share of its points that the class won in each item. Hardest: "
    text += ", ".join(f"part {items[n].part} {items[n].what} ({percent(won[n])})" for n in hard)
    if correlated:
        below = sum(one.r is not None and one.r < 0 for one in rest.values())
        text += f". Next to them, how each item correlates with the rest; below zero: {below} of {len(items)}"
    return svg, f"{text}. The table below holds all numbers."


def _correlations(axes: Axes, rest: list[Rest]) -> None:
    """A disc where chance is unlikely, a ring where it may be chance, a triangle where it runs against the rest."""
    groups = {"o": [], "O": [], "v": []}
    for row, one in enumerate(rest):
        if one.r is None:
            axes.text(0.03, row, one.why, va="center", fontsize=7, color="#555555")
        else:
            kind = "O" if abs(one.r) <= one.chance else "v" if one.r < 0 else "o"
            groups[kind].append((one.r, row))
    chance = max((one.chance for one in rest if one.r is not None), default=None)
    if chance is not None:
        axes.axvspan(-chance, chance, color=LIGHT, alpha=0.75, zorder=0.5, linewidth=0)
    looks = {
        "o": ("o", DARK, DARK, "clearer than chance"),
        "O": ("o", "white", DARK, "may be chance (grey band)"),
        "v": ("v", ALARM, ALARM, "against the rest: look at it"),
    }
    for kind, points in groups.items():
        marker, face, edge, label = looks[kind]
        if points:
            x, y = zip(*points, strict=True)
            axes.scatter(x, y, s=30, marker=marker, facecolor=face, edgecolor=edge, label=label, zorder=3)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlim=(-1, 1), xlabel="correlation with all other marks")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
    axes.tick_params(axis="y", length=0)
    if any(groups.values()):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02), fontsize=7.5, frameon=False, ncols=1)


def mistake_figure(results: ClassResults) -> tuple[str, str]:
    """How many students made each of the most usual mistakes."""
    makers = list(results.makers().items())[:SHOWN_MISTAKES]
    counts = [len(names) for _, names in makers]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.4, 0.75 + 0.25 * len(makers)), layout="constrained")
        axes = figure.subplots()
        axes.barh(range(len(makers)), counts, height=0.66, color=DARK)
        for row, count in enumerate(counts):
            axes.text(count, row, f" {count}", va="center")
        axes.set_yticks(range(len(makers)), [f"{m.part} · {_short(named(m.key), 44)}" for m, _ in makers])
        axes.set(ylim=(len(makers) - 0.5, -0.5), xlim=(0, max(counts) * 1.08), xlabel="students who made it")
        axes.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        svg = _svg(figure)
    most = ", ".join(f"{named(m.key)} in part {m.part} ({len(names)})" for m, names in makers[:3])
    return svg, f"Bars: how many students made each usual mistake. The most usual: {most}. The table below names them."


def named(key: str) -> str:
    """A mistake's key as words."""
    return key.replace("-", " ")


def percent(share: float) -> str:
    """A share as text: 0.5 is 50 %."""
    return f"{100 * share:.0f} %"


def _mean(column: np.ndarray) -> float:
    return 0.0 if np.isnan(column).all() else float(np.nanmean(column))


def _short(text: str, chars: int) -> str:
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the reader's fonts have it
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
