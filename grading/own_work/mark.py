"""What `python -m grading mark` prints: a line per part as it is graded; with --watch a table that stays up to date."""

import sys
import time
import webbrowser
from pathlib import Path

from grading.core import command_line, errors, limits, names, process_limits
from grading.gradebook import results
from grading.judge import sandbox_check
from grading.own_work import elapsed
from grading.own_work import table as check_table
from grading.own_work.own_marks import Marked, OwnMarks
from grading.submission import in_memory

LOOK_EVERY_S = 0.3
_CLEAR = "\x1b[H\x1b[2J"


def run(root: Path, assignment: str, watch: bool, open_page: bool, no_sandbox: bool) -> tuple[OwnMarks, bool]:
    """Grades what has changed, and says what it earned; with `watch` until it is stopped. Whether all could be graded.

    Errors  CourseError if there is nothing to mark, or student code can't be walled in.
    """
    process_limits.suffice(1)
    own = OwnMarks(root, assignment)
    own.walls = not no_sandbox and _walled(root)
    with errors.naming_the_file(own.folder), own.alone():
        own.prepare()
        with in_memory.once():
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
    """Grades what has changed, with a line per part, and prints the table; whether a part could not be graded."""
    own.looks_changed()
    todo, failed = own.changed(), False
    for number, part in enumerate(todo, start=1):
        what = f"[{number}/{len(todo)}] part {part.number}: "
        print(what, end="", flush=True)
        with elapsed.shown(what, limits.NOTEBOOK_LIMIT_S):
            marked = own.mark(part)
        failed |= bool(marked.error)
        print(_said(marked), flush=True)
    if own.count_ticks() or todo:
        own.write_pages()
    print(("\n" if todo else "") + table(own), flush=True)
    return failed


def _watch(own: OwnMarks) -> None:
    """Grades again whenever a file is saved, until somebody stops it."""
    terminal = sys.stdout.isatty()
    print("\nSave a notebook, and it is graded again. Stop with Ctrl-C.", flush=True)
    try:
        while True:
            time.sleep(LOOK_EVERY_S)
            if own.looks_changed():
                with in_memory.once():
                    _again(own, terminal)
    except KeyboardInterrupt:
        print("\nStopped. Your marks are kept.")


def _again(own: OwnMarks, terminal: bool) -> None:
    """Grades what has changed, and says so in a line on a terminal, below the table; elsewhere in a line per part."""
    started, said = time.monotonic(), []
    for part in own.changed():
        with elapsed.shown(f"part {part.number}: ", limits.NOTEBOOK_LIMIT_S):
            marked = own.mark(part)
        lost = [] if terminal else _found(own, marked.result)  # a terminal has the table
        said.append(". ".join([f"part {part.number}: {_said(marked)}", *map(names.printable, lost)]))
    said += [f"part {part.number}: what you ticked is counted" for part in own.count_ticks()]
    if said:
        own.write_pages()
        shown = f"{_CLEAR}{table(own)}\n\n{'; '.join(said)}" if terminal else "\n".join(said)
        print(f"{shown} ({time.monotonic() - started:.1f} s)", flush=True)


def table(own: OwnMarks) -> str:
    """A row per part: points, and what cost some; then the total, what is open, and where the pages are."""
    found = own.results()
    width = max(len(result.part.title) for result in found)
    lines = [f"Marks of {names.path(own.work)}"]
    for result in found:
        lines.append(f"  {result.part.number:>2}  {result.part.title:<{width}}  {_points(own, result)}")
        lines += [line for text in _found(own, result) for line in check_table.below(names.printable(text), hanging=2)]
    total, of = results.total(found), own.course.points
    lines += ["", f"total      {total:g} of {of:g} points"]
    if unanswered := [str(r.part.number) for r in found if r.here and len(r.part.written) == 1 and not r.answered]:
        parts = "part" if len(unanswered) == 1 else "parts"
        lines += [f"written    no written answer yet in {parts} {', '.join(unanswered)}"]
    if own.self_marks.exists():
        lines += [f"criteria   {names.path(own.self_marks)}: tick what your written answers meet, and run this again"]
    if own.pages.exists():
        lines += [f"pages      {names.path(own.pages)}"]
    return "\n".join(lines)


def _said(marked: Marked) -> str:
    """What became of a part, in a line."""
    if marked.error:
        return f"not graded, {names.printable(marked.error)}"
    return f"{marked.result.won:g} of {marked.result.part.points:g}"


def _points(own: OwnMarks, result: results.Result) -> str:
    if not own.is_begun(result.part) and not result.here:
        return "not started"
    if result.unmarked or not result.here:
        return "not graded: run this again"
    gone = not (own.work / f"{result.part.stem}.ipynb").exists()
    return f"{result.won:g} of {result.part.points:g}" + ", as it was: the notebook is gone" * gone


def _found(own: OwnMarks, result: results.Result) -> list[str]:
    """What cost points: a rule, a fault, or the items that were lost, those for one reason in one line; and what is not
    ticked of a written answer."""
    report = result.report
    if report is None or result.unmarked:
        return []
    alike: dict[str, list[str]] = {}
    for item in report.items:
        if item.won < item.points:
            alike.setdefault(item.found, []).append(f"{item.won:g}/{item.points:g} {item.what}")
    lost = [f"{', '.join(items)}: {found}" for found, items in alike.items()]
    if whole := report.fault or report.breach:
        lost = [whole]
    of, ticked_points = result.part.by_hand, result.by_hand or 0.0
    if of and result.answered and ticked_points < of:
        by = f"by what you ticked in {own.self_marks.name}"
        by = by if own.has_criteria(result.part) else "for a grader: there are no criteria that you could tick"
        lost.append(f"{ticked_points:g}/{of:g} written answer, {by}")
    return lost
