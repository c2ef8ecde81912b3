"""The table that `python -m grading check` prints: a row per part, in colour on a terminal and plain in a pipe."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from grading.core import errors, messages, names
from grading.core.course import Course, Part
from grading.own_work import elapsed, visible_checks
from grading.own_work.visible_checks import Result, State

_COLOURS = {State.PASSES: 32, State.FAILS: 31, State.UNFINISHED: 33, State.NOT_STARTED: 2, State.UNREAD: 31}
_WIDTH, _LINES = 100, 3  # of a message: characters, at most; lines, at most


def show(course: Course, places: list[Path], out: TextIO | None = None) -> list[Result]:
    """Checks folders or notebooks and prints their rows in order as they are ready; what was found, in that order.

    Notebooks of the course that are not parts are passed over.

    Errors  CourseError if a folder or file is not there, or if no part is among those named.
    """
    out = out or sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(errors="replace")  # a student's message may hold letters that a terminal lacks
    named = [place for place in places if not course.is_other(place.name)]
    if not named:
        raise errors.CourseError(f"{names.path(places[0])} holds no visible checks. Name a part's notebook instead.")
    chosen = [(place, visible_checks.notebooks(course, place)) for place in named]
    found = []
    for place, paths in chosen:
        print(_painted(f"Visible checks in {names.path(place)}", 1, out), file=out, flush=True)
        for result in _in_order(course, paths, out):
            found.append(result)
            print(row(course, result, out), file=out, flush=True)
        print(file=out)
    print(summary(found), file=out, flush=True)
    return found


def row(course: Course, result: Result, out: TextIO) -> str:
    """A part, its points, what became of it; below it, indented, what was found."""
    number, title, points = "", result.path.name, ""
    if result.part:
        number, title, points = str(result.part.number), result.part.title, f"{result.part.points} points"
    text = _painted(result.state.value, _COLOURS[result.state], out)
    if result.written is not None:
        text += " · written answer: " + ("there" if result.written else _painted("to do", 33, out))
    width = max(len(part.title) for part in course.parts)
    line = f"  {number:>2}  {title:<{width}}  {points:>9}  {text}"
    return "\n".join([line, *below(result.message)])


def below(message: str, hanging: int = 0) -> list[str]:
    """What was found, in lines that stand below a row; all but the first `hanging` characters further in."""
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns - 1)
    style = {"initial_indent": " " * 8, "subsequent_indent": " " * (8 + hanging)}
    style |= {"max_lines": _LINES, "placeholder": " …"}
    return textwrap.wrap(messages.short(message), max(width, 40), **style)


def summary(found: list[Result]) -> str:
    """How many parts pass, how many written answers are there, and what passing does not say."""
    passing, of = sum(r.state is State.PASSES for r in found), len(found)
    written = [r.written for r in found if r.written is not None]
    text = f"{passing} of {of} {'part passes' if of == 1 else 'parts pass'} the visible checks"
    text += f"; {sum(written)} of {len(written)} written answers are there." if written else "."
    looked_at = "The checks look at names, types and shapes, not at the rules of a part."
    return f"{text}\n{looked_at} The marks come from hidden tests, and from a grader."


def _in_order(course: Course, paths: list[Path], out: TextIO) -> Iterator[Result]:
    """The results in the order of the paths, each as soon as those before it are there.

    On a terminal a line says how many are done, and which part has run longest, and for how long.
    """
    early, expected, done, terminal = {}, list(paths), 0, out.isatty()

    def tick(part: Part, seconds: float, limit_s: float) -> None:
        elapsed.draw(elapsed.said(f"  {done} of {len(paths)} … part {part.number} ", seconds, limit_s), out)

    for result in visible_checks.results(course, paths, tick=tick if terminal else None):
        early[result.path], done = result, done + 1
        while expected and expected[0] in early:
            if terminal:
                elapsed.draw("", out)
            yield early.pop(expected.pop(0))
        if terminal:
            elapsed.draw(f"  {done} of {len(paths)} …" if expected else "", out)


def _painted(text: str, code: int, out: TextIO) -> str:
    """A text in a terminal's colour, unless it goes elsewhere or NO_COLOR or TERM=dumb asks for none."""
    plain = not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else f"\x1b[{code}m{text}\x1b[0m"
