"""Draws docs/architecture.png: the packages, layer by layer, and which of them imports which.

Packages and imports are read from the code, the layers from pyproject.toml. What was drawn is written into the picture,
so that a test can tell a picture that is out of date. Run from anywhere: python docs/architecture.py
"""

import ast
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

REPOSITORY = Path(__file__).resolve().parent.parent
PICTURE = Path(__file__).with_name("architecture.png")
COURSE, ENGINE, WALLED, LINES, COMMAND = "#5a8f3c", "#2a6f97", "#b85c12", "#7a8791", "#444b52"
HEIGHT, HALF, ROUND = 0.92, 1.2, "round,pad=0,rounding_size=0.1"
# Where each package is drawn, left to right, and what it says there. The layer follows from pyproject.toml.
LABELS = {
    "attention": (1.55, "the course: parts, oracles,\nrules, hints, mistakes"),
    "grading.own_work": (8.6, "a learner's folder,\nchecks and marks"),
    "grading.classroom": (4.9, "a whole class: workers,\nmerging, progress"),
    "grading.judge": (4.9, "runs a notebook,\nmarks its test cell"),
    "grading.pages": (11.1, "feedback pages, and\nthe class report"),
    "grading.lms": (13.65, "Canvas, Moodle,\nGradescope"),
    "grading.rules": (1.55, "which rules an\nanswer's text breaks"),
    "grading.marking": (4.9, "verdicts, and the sheet\nthat adds them up"),
    "grading.submission": (9.6, "what of a submission\nis taken in"),
    "grading.gradebook": (12.9, "nbgrader's gradebook:\nset up, read, copied"),
    "grading.bridge": (4.9, "values as data, to\nthe kernel and back"),
    "grading.sandbox": (7.9, "walls, clocks, and a\nkernel per notebook"),
    "grading.core": (7.5, "limits, texts, names, cells, the report of a part: every package stands on it"),
}
GAPS, STEP = (3.2, 6.5), 0.13  # where arrows that pass a layer go between its boxes, and how far apart
WALLS = ("grading.bridge", "grading.sandbox")  # of which a part runs next to student code
COMMANDS = ("dev", "grading.__main__")  # import whatever they start
USED = "check mark grade watch report export lab release".split()  # of `python -m grading`


def packages() -> list[str]:
    """The packages of the repository, by name: `attention`, `dev`, and those of the engine."""
    engine = [path.parent.name for path in (REPOSITORY / "grading").glob("*/__init__.py")]
    return sorted(["attention", "dev", *(f"grading.{name}" for name in engine)])


def layers() -> list[list[str]]:
    """The engine's layers, top to bottom, as the contract in pyproject.toml has them."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in project["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [layer.replace("|", " ").replace(":", " ").split() for layer in contract["layers"]]


def imports() -> list[tuple[str, str]]:
    """Which package imports which: pairs of names, sorted."""
    found = set()
    for top in ("attention", "dev", "grading"):
        for path in (REPOSITORY / top).rglob("*.py"):
            module = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {(_package(module), _package(name)) for name in _imported(tree)}
    known = {*packages(), *COMMANDS}
    return sorted((a, b) for a, b in found if a != b and {a, b} <= known)


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names that a module imports when it runs: not those for a type checker alone."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _package(module: str) -> str:
    """The package that a module belongs to: `grading.core.limits` belongs to `grading.core`, `dev.suite` to `dev`."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "grading" else parts[0]


def drawn() -> dict[str, list]:
    """What the picture shows: boxes, layers and arrows; the contracts see to it that none leads to the course."""
    arrows = [list(pair) for pair in imports() if pair[0] not in COMMANDS and pair[1] != "grading.core"]
    return {"boxes": sorted(LABELS), "layers": layers(), "arrows": arrows}


def main() -> None:
    """Draws the picture next to this file."""
    facts = drawn()
    rows = [layer for layer in facts["layers"] if layer[0] not in COMMANDS]
    height = {name: 1.75 * (len(rows) - 1 - n) for n, layer in enumerate(rows) for name in layer}
    height["attention"] = height["grading.judge"]
    figure, axes = plt.subplots(figsize=(15, 11.3))
    for name in facts["boxes"]:
        _box(axes, name, height[name])
    used = dict.fromkeys(GAPS, 0)
    for above, below in facts["arrows"]:
        middle = (LABELS[above][0] + min(LABELS[below][0], LABELS["grading.sandbox"][0])) / 2
        gap = min(GAPS, key=lambda x: abs(x - middle)) if _passed(above, below, height) else None
        _arrow(axes, above, below, height, gap and gap + STEP * used[gap])
        if gap:
            used[gap] += 1
    top = max(height.values()) + 1.35
    _bar(axes, 1.55, 2.9, top, "dev/", "tests, packages, the sample class")
    _bar(axes, 9.3, 11.4, top, "python -m grading …", f"the commands: {', '.join(USED)}")
    axes.text(0.1, -0.98, "An arrow: imports.", fontsize=10.5, va="center")
    axes.text(2.35, -0.98, "green: the course", fontsize=10.5, va="center", color=COURSE)
    axes.text(4.5, -0.98, "blue: the engine", fontsize=10.5, va="center", color=ENGINE)
    axes.text(6.6, -0.98, "orange: partly runs in the student's kernel", fontsize=10.5, va="center", color=WALLED)
    axes.set(xlim=(0, 15), ylim=(-1.2, top + 0.5), aspect="equal")
    axes.axis("off")
    figure.subplots_adjust(left=0, right=1, top=1, bottom=0)
    about = {"Software": None, "Description": json.dumps(facts)}
    figure.savefig(PICTURE, dpi=100, bbox_inches="tight", metadata=about)


def _box(axes: plt.Axes, name: str, y: float) -> None:
    x, said = LABELS[name]
    colour = COURSE if name == "attention" else WALLED if name in WALLS else ENGINE
    if name == "grading.core":
        _bar(axes, x, 14.8, y, "grading/core/", said, colour)
        return
    axes.add_patch(FancyBboxPatch((x - HALF, y - HEIGHT / 2), 2 * HALF, HEIGHT, ROUND, color=colour, zorder=3))
    shown = name.replace(".", "/") + "/"
    axes.text(x, y + 0.26, shown, color="white", ha="center", va="center", fontsize=12, weight="bold", zorder=4)
    axes.text(x, y - 0.15, said, color="white", ha="center", va="center", fontsize=9.5, linespacing=1.15, zorder=4)


def _bar(axes: plt.Axes, x: float, width: float, y: float, name: str, said: str, colour: str = COMMAND) -> None:
    axes.add_patch(FancyBboxPatch((x - width / 2, y - 0.3), width, 0.6, ROUND, color=colour, zorder=3))
    style = {"color": "white", "ha": "center", "va": "center", "zorder": 4}
    axes.text(x, y + 0.12, name, fontsize=11.5, weight="bold", **style)
    axes.text(x, y - 0.14, said, fontsize=9.5, **style)


def _ends(above: str, below: str, height: dict[str, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a straight arrow begins and ends."""
    (x, _), (to_x, _) = LABELS[above], LABELS[below]
    y, to_y = height[above], height[below]
    if y == to_y:
        side = HALF if to_x > x else -HALF
        return (x + side, y), (to_x - side, to_y)
    lean = max(-0.9, min(0.9, 0.22 * (to_x - x)))
    return (x + lean, y - HEIGHT / 2), (to_x - lean, to_y + HEIGHT / 2)


def _passed(above: str, below: str, height: dict[str, float]) -> list[float]:
    """The heights of the layers that an arrow passes, top to bottom, if it would run behind a box in one of them."""
    (x, y), (to_x, to_y) = _ends(above, below, height)
    between = sorted({each for each in height.values() if to_y < each < y}, reverse=True)
    for name, level in height.items():
        for edge in (level + HEIGHT / 2, level - HEIGHT / 2):
            if to_y < edge < y and abs(x + (to_x - x) * (y - edge) / (y - to_y) - LABELS[name][0]) < HALF + 0.1:
                return between
    return []


def _within(x: float, wanted: float) -> float:
    """The place nearest to the one wanted, above or below a box at x."""
    return max(x - HALF + 0.12, min(x + HALF - 0.12, wanted))


def _arrow(axes: plt.Axes, above: str, below: str, height: dict[str, float], gap: float | None) -> None:
    start, end = _ends(above, below, height)
    if gap is not None:
        levels = _passed(above, below, height)
        turns = [(gap, level + side * HEIGHT / 2) for level in levels for side in (1, -1)]
        start = (_within(LABELS[above][0], gap), start[1])
        axes.plot(*zip(start, *turns, strict=True), color=LINES, lw=1.3, zorder=2, solid_joinstyle="round")
        start, end = turns[-1], (_within(LABELS[below][0], gap), end[1])
    style = {"arrowstyle": "-|>", "mutation_scale": 13, "color": LINES, "lw": 1.3, "shrinkA": 0, "shrinkB": 1}
    axes.add_patch(FancyArrowPatch(start, end, zorder=2, **style))


if __name__ == "__main__":
    main()
