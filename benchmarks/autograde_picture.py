"""Draws docs/autograde.png from the benchmark's runs: how fast each way is, and how time grows with the class."""

import statistics
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

STOCK, OURS, FLOOR = "#9a9a9a", "#2a6f97", "#c9b27c"
NAMES = {
    "stock": "nbgrader, stock",
    "judge": "the judge, one by one",
    "floor": "floor: exec, no walls",
    "floor, 2 at once": "two floors at once",
}


def draw(runs: list[dict], path: Path) -> None:
    """Writes the picture: on the left notebooks a minute, on the right seconds against students."""
    here = [run for run in runs if run["parts"] == "others"] or runs
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    _speeds(left, here)
    _growth(right, here)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _speeds(axes: plt.Axes, runs: list[dict]) -> None:
    sizes: dict[str, int] = {}
    for run in runs:  # the size at which most ways were measured is the first of the plan
        sizes.setdefault(run["way"], run["students"])
    order = ["stock", "judge", *sorted(w for w in sizes if w.startswith("class")), "floor", "floor, 2 at once"]
    speeds = {
        way: [60 * r["notebooks"] / r["wall_s"] for r in runs if (r["way"], r["students"]) == (way, sizes[way])]
        for way in order
        if way in sizes
    }
    stock = statistics.median(speeds["stock"])
    for place, (way, found) in enumerate(speeds.items()):
        speed = statistics.median(found)
        axes.barh(place, speed, color=_colour(way), height=0.6)
        axes.plot(found, [place] * len(found), ".", color="black", markersize=4)
        axes.annotate(
            f"{speed:.0f}" + ("" if way == "stock" else f"   {speed / stock:.1f} x stock"),
            (max(speed, *found), place),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_yticks(range(len(speeds)), map(_name, speeds))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.4 * max(max(found) for found in speeds.values()))
    axes.set_xlabel("notebooks a minute")
    most = max(sizes.values())
    axes.set_title(f"Speed with {most} students; dots are the single runs", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _colour(way: str) -> str:
    return {"stock": STOCK, "floor": FLOOR}.get(way.partition(",")[0], OURS)


def _name(way: str) -> str:
    workers, _, core = way.partition(",")
    return NAMES.get(way, f"{workers} worker{'s' * (not workers.endswith(' 1'))}{' on' * bool(core)}{core}")


def _growth(axes: plt.Axes, runs: list[dict]) -> None:
    ways = sorted(
        {run["way"] for run in runs if not run["way"].startswith("floor")}, key=lambda way: (way != "stock", way)
    )
    ways = [w for w in ways if w == "stock" or len({r["students"] for r in runs if r["way"] == w}) > 1]
    largest = max(run["students"] for run in runs)
    for way, marker in zip(ways, "os^vD", strict=False):
        points = {}
        for run in runs:
            if run["way"] == way:
                points.setdefault(run["students"], []).append(run["wall_s"])
        sizes = sorted(points)
        times = [statistics.median(points[size]) for size in sizes]
        colour = STOCK if way == "stock" else OURS
        axes.plot(sizes, times, marker=marker, color=colour, label=_name(way))
        if way == "stock":
            axes.plot([sizes[-1], largest], [times[-1], times[-1] * largest / sizes[-1]], ":", color=colour)
        else:
            axes.lines[-1].set_linestyle("-" if way == "judge" else "--")
    axes.set(xscale="log", yscale="log", xlabel="students", ylabel="seconds")
    sizes = sorted({run["students"] for run in runs})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_title("Time for a class; dotted: stock, if it goes on like this", fontsize=11)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
