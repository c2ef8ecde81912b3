"""Draws docs/load.png from the table of benchmarks/load.py: times to feedback, the line, and memory in the storm."""

import statistics
from pathlib import Path

import load_table
import matplotlib
from load_table import Row, column, of

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

OURS, LIGHT, WARM, GREY = "#2a6f97", "#8fb8d0", "#a04040", "#9a9a9a"
TICKS_S = {1: "1 s", 3: "3", 10: "10 s", 60: "1 min", 300: "5", 1200: "20 min", 3600: "1 h"}


def draw(rows: list[Row], path: Path) -> None:
    """Writes the picture: how many have feedback after which time, places in line, memory."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    _times(left, rows)
    _line(middle, rows)
    _memory(right, rows)
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _times(axes: plt.Axes, rows: list[Row]) -> None:
    """The shares that have feedback after so many seconds."""
    storm = of(rows, load_table.STORM)
    notebooks = load_table.parts(storm)
    names = {
        load_table.ONE: ("one part, idle", WARM, "-."),
        load_table.ALL: (f"{notebooks}, idle", LIGHT, "--"),
        load_table.STORM: (f"{notebooks}, {len(storm)} in {load_table.over_s(storm):.0f} s", OURS, "-"),
    }
    longest = 1.0
    for what, (name, colour, line) in names.items():
        if seconds := sorted(column(of(rows, what), "feedback_s")):
            shares = [number / len(seconds) for number in range(len(seconds) + 1)]
            median_s = statistics.median(seconds)
            said = f"{median_s:.1f} s" if median_s < 60 else f"{median_s / 60:.1f} min"
            label = f"{name}: median {said}"
            axes.step([seconds[0], *seconds], shares, where="post", color=colour, ls=line, lw=2, label=label)
            axes.plot(median_s, 0.5, "o", color=colour, markersize=5)
            longest = max(longest, seconds[-1])
    shortest = min(column(rows, "feedback_s"))
    axes.set(xscale="log", xlim=(0.8 * shortest, 1.3 * longest), ylim=(0, 1.4), yticks=(0, 0.25, 0.5, 0.75, 1))
    ticks = {second: name for second, name in TICKS_S.items() if 0.8 * shortest <= second <= 1.3 * longest}
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels(ticks.values())
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("from submission to feedback (log scale)")
    axes.set_title("Share with feedback", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper left", borderaxespad=0)


def _line(axes: plt.Axes, rows: list[Row]) -> None:
    """How many wait, and which place each student was shown."""
    looks, storm = of(rows, load_table.SAMPLE), of(rows, load_table.STORM)
    told = [row for row in storm if row["place"] is not None]
    axes.plot(_minutes(looks), column(looks, "waiting"), color=OURS, lw=2, label="in line")
    moments = [(row["at_s"] + row["told_s"]) / 60 for row in told]
    axes.plot(moments, column(told, "place"), ".", color=WARM, markersize=3, label="place shown to a student")
    axes.set(xlabel="minutes", xlim=(0, None), ylim=(0, None))
    axes.set_title("Submissions in line", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper right")


def _memory(axes: plt.Axes, rows: list[Row]) -> None:
    """What the parent and all processes take."""
    looks = of(rows, load_table.SAMPLE)
    axes.plot(_minutes(looks), [mb / 1024 for mb in column(looks, "all_mb")], color=OURS, lw=1.2, label="all processes")
    parent = [mb / 1024 for mb in column(looks, "parent_mb")]
    axes.plot(_minutes(looks), parent, color=GREY, lw=2, label="the parent")
    most = max(column(looks, "all_mb")) / 1024
    axes.set(xlabel="minutes", ylabel="GiB", xlim=(0, None), ylim=(0, 1.35 * most))
    axes.set_title("Memory", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper right")


def _minutes(looks: list[Row]) -> list[float]:
    return [row["at_s"] / 60 for row in looks]
