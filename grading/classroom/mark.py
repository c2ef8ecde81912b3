"""What `python -m grading mark` prints: a line a part as it is graded; with --watch a table that stays up to date."""

import shutil
import sys
import textwrap
import time
import webbrowser
from pathlib import Path

from grading.classroom.own_marks import Marked, OwnMarks
from grading.core import command_line, errors, messages, names
from grading.gradebook import results
from grading.judge import sandbox_check

LOOK_EVERY_S = 0.3
_CLEAR = "\x1b[H\x1b[2J"
_WIDTH, _LINES = 100, 3  # of what was found: characters, at most; lines, at most


def run(root: Path, assignment: str, watch: bool, open_page: bool, no_sandbox: bool) -> tuple[OwnMarks, bool]:
    """Grades what has changed, and says what it earned; with `watch` until it is stopped. Whether all could be graded.

    Errors  CourseError if there is nothing to mark, or student code can't be walled in.
    """
    walls = not no_sandbox and _walled(root)
    own = OwnMarks(root, assignment, walls)
    with errors.of_files(own.folder), own.alone():
        own.prepare()
        failed = _once(own)
        if open_page:
            webbrowser.open(own.pages.resolve().as_uri())
        if watch:
            _watch(own)
    return own, not failed


def _walled(root: Path) -> bool:
    """Whether student code is walled in; if it can't be, whoever wrote it may do without.

    Errors  CourseError if it can't be, and nobody says that they do without.
    """
    try:
        sandbox_check.stand(root)
        return True
    except errors.CourseError as refused:
        offer = "This is your own code: you may run it without a sandbox, with your own rights"
        if sys.stdin.isatty() and input(f"{refused}\n{offer}. [y/N] ").lower() in ("y", "yes"):
            return False
        raise errors.CourseError(f"{refused}\n{offer}: {command_line.spelled('mark', root, '--no-sandbox')}") from None


def _once(own: OwnMarks) -> bool:
    """Grades what has changed, with a line a part, and prints the table; whether a part could not be graded."""
    own.looks_changed()
    todo, failed = own.changed(), False
    for number, marked in enumerate(own.mark(todo), start=1):
        failed |= bool(marked.error)
        print(f"[{number}/{len(todo)}] {_said(marked)}", flush=True)
    own.count_ticks()
    print(("\n" if todo else "") + table(own), flush=True)
    return failed


def _watch(own: OwnMarks) -> None:
    """Grades again whenever a file is saved, until somebody stops it."""
    terminal = sys.stdout.isatty()
    print("\nSave a notebook, and it is graded again. Stop with Ctrl-C.", flush=True)
    try:
        while True:
            time.sleep(LOOK_EVERY_S)
            if not own.looks_changed():
                continue
            started, said = time.monotonic(), []
            for marked in own.mark(own.changed()):
                said.append(_said(marked))
                if not terminal:
                    print(f"{said[-1]} ({time.monotonic() - started:.1f} s)", flush=True)
            said += [f"part {part.number}: what you ticked is counted" for part in own.count_ticks()]
            if terminal and said:
                print(f"{_CLEAR}{table(own)}\n\n{'; '.join(said)} ({time.monotonic() - started:.1f} s)", flush=True)
    except KeyboardInterrupt:
        print("\nStopped. Your marks are kept.")


def table(own: OwnMarks) -> str:
    """A row a part: points, and what cost some; then the total, what is open, and where the pages are."""
    found = own.results()
    width = max(len(result.part.title) for result in found)
    lines = [f"Marks of {names.path(own.work)}"]
    for result in found:
        lines.append(f"  {result.part.number:>2}  {result.part.title:<{width}}  {_points(result)}")
        lines += _wrapped(_found(result))
    total, of = results.total(found), own.course.points
    lines += ["", f"total      {total:g} of {of:g} points"]
    if unanswered := [str(part.number) for part in own.unanswered()]:
        lines += [f"written    no written answer yet in part {', '.join(unanswered)}"]
    if own.self_marks.exists():
        lines += [f"criteria   {names.path(own.self_marks)}: tick what your written answers meet, and run this again"]
    if own.pages.exists():
        lines += [f"pages      {names.path(own.pages)}"]
    return "\n".join(lines)


def _said(marked: Marked) -> str:
    """What became of a part, in a line."""
    what = f"part {marked.part.number}"
    return (
        f"{what}: not graded, {names.printable(marked.error)}" if marked.error else f"{what}: {_points(marked.result)}"
    )


def _points(result: results.Result) -> str:
    if not result.here:
        return "not started"
    if result.unmarked:
        return "not graded"
    return f"{result.won:g} of {result.part.points:g}"


def _found(result: results.Result) -> list[str]:
    """What cost points: a rule, a fault, or each item that was lost."""
    report = result.report
    if report is None or result.unmarked:
        return []
    if whole := report.fault or report.breach:
        return [whole]
    lost = [item for item in report.items if item.won < item.points]
    return [f"{item.won:g}/{item.points:g} {item.what}: {item.found}" for item in lost]


def _wrapped(found: list[str]) -> list[str]:
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns - 1)
    style = {"initial_indent": " " * 8, "subsequent_indent": " " * 10, "max_lines": _LINES, "placeholder": " …"}
    out = []
    for text in found:
        out += textwrap.wrap(names.printable(messages.short(text)), max(width, 40), **style)
    return out
