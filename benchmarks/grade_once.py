"""Grades the sample class and every answer of part 13 once, with the Python that runs it, and writes the marks.

    python benchmarks/grade_once.py FOLDER [--only sample|part13] [--students PATTERN …] [--workers N] [--sizes]
                                    [--quiet]

A process of its own for each run of `repeat.py` and `public_torch.py`. FOLDER is a folder for the course and the
results; each answer of part 13 is a student there. It ends, with all it started, when its standard input is closed.
"""

import argparse
import contextlib
import fnmatch
import importlib.metadata
import json
import os
import platform
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import earned

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in, sample_class
from dev.packages import REPOSITORY
from grading.classroom import class_run, inputs, progress
from grading.core import errors
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment
from grading.sandbox import bubblewrap

SIZES = "address-space"  # the student whose notebooks print what their process takes
# A cell of a submission. A peak says what the notebook has needed so far, which may be more than it holds now.
STATUS = """# %%
for _line in open("/proc/self/status"):
    if _line.startswith(("VmSize", "VmPeak")):
        print("MEASURED", _line.split()[0].rstrip(":"), _line.split()[1])
"""


def main() -> int:
    """Grades, and writes FOLDER/earned.json and FOLDER/run.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    add_options(parser)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--sizes", action="store_true", help="also measure the address space of notebooks")
    parser.add_argument("--quiet", action="store_true", help="show progress on a terminal only")
    chosen = parser.parse_args()
    stopped = threading.Event()

    def stop(*_: object) -> None:
        stopped.set()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        run(chosen)
    except errors.CourseError as error:
        if stopped.is_set():  # nbgrader takes an interrupt for an error of its own
            return 130
        print(f"grade_once: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say who is graded."""
    parser.add_argument("--only", choices=["sample", "part13"], help="the sample class, or the answers of part 13")
    parser.add_argument("--students", nargs="+", metavar="PATTERN", help="only these, such as 'part13-05-*'")


def run(chosen: argparse.Namespace) -> None:
    """Builds a course, grades it, and writes what was earned.

    Errors  CourseError if nothing is left to grade, or the walls don't stand.
    """
    root = chosen.folder / "course"
    build(root, chosen.only, chosen.students)
    if chosen.sizes:
        measuring(root)
    generate_assignment.register(root)
    no_walls = course_folder.config(REPOSITORY).Judge.get("sandbox") == "none"
    if not no_walls and (reason := bubblewrap.available()):
        raise errors.CourseError(reason.line)
    students, failed, struck, started = course_folder.students(root), {}, {}, time.monotonic()
    shown = progress.Progress(len(students), quiet=chosen.quiet and not sys.stdout.isatty())
    graded = class_run.graded(root, students, chosen.workers, feedback=False, tick=shown.tick)
    try:
        with contextlib.closing(graded):
            for result in graded:
                failed |= {result.student: result.error} if result.error else {}
                struck |= {result.student: result.struck} if result.struck else {}
                bad = bool(result.error or result.unmarked)
                shown.add(f"{result.student}: {class_run.outcome(result)}", failed=bad)
    finally:
        shown.end()
    seconds = time.monotonic() - started
    with course_folder.gradebook(root) as book:
        found = {name: earned.read(book, root, name, failed.get(name, "")) for name in students if name != SIZES}
    (chosen.folder / "earned.json").write_text(earned.dump(found), encoding="utf-8")
    about = {"seconds": seconds, "struck": struck, "versions": versions(), "sizes": sizes(root) if chosen.sizes else {}}
    (chosen.folder / "run.json").write_text(json.dumps(about), encoding="utf-8")


def build(root: Path, only: str | None, patterns: list[str] | None) -> None:
    """Makes a course folder with the sample class, and a student for each answer of part 13.

    Errors  CourseError if no student's name fits the patterns, or the course has no part 13.
    """
    course_copy.new(root)
    if only != "part13":
        sample_class.build(root)
    for part in [course.PARTS[13]] if only != "sample" else ():
        for path in sorted((handed_in.ANSWERS / part.stem).glob("*.py")):
            folder = root / "submitted" / f"{part.stem}-{path.stem}" / COURSE.name
            folder.mkdir(parents=True)
            handed_in.write(folder, part, handed_in.submission(part, path.read_text(encoding="utf-8")))
    for folder in (root / "submitted").iterdir() if patterns else ():
        if not any(fnmatch.fnmatch(folder.name, pattern) for pattern in patterns):
            shutil.rmtree(folder)
    if not any((root / "submitted").iterdir()):
        raise errors.CourseError(f"no student is called {' or '.join(patterns)}.")


def measuring(root: Path) -> None:
    """Adds a student whose notebooks print how much address space their process takes, at first and after part 13."""
    folder = root / "submitted" / SIZES / COURSE.name
    folder.mkdir(parents=True)
    for part in (course.PARTS[1], course.PARTS[13]):
        answer = handed_in.sources(part)[f"{part.stem}-answer"]
        handed_in.write(folder, part, handed_in.submission(part, f"{answer}\n{STATUS}"))


def sizes(root: Path) -> dict[str, int]:
    """The address space in bytes: of a kernel after part 1, and the most that part 13's answer reached."""
    first, last = (_printed(root, part) for part in (course.PARTS[1], course.PARTS[13]))
    found = {
        "kernel, part 1": first.get("VmSize"),
        "kernel, peak of part 13": last.get("VmPeak"),
    }
    return {name: size for name, size in found.items() if size is not None}


def versions() -> dict[str, str]:
    """Python's version, and those of the packages that a mark may depend on."""
    found = {name: importlib.metadata.version(name) for name in (*inputs.PACKAGES, *inputs.distributions(COURSE))}
    import torch

    return {"Python": platform.python_version(), **found, "torch": torch.__version__}


def _printed(root: Path, part: Part) -> dict[str, int]:
    path = root / "autograded" / SIZES / COURSE.name / f"{part.stem}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    outputs = [output for cell in cells for output in cell.get("outputs", []) if output["output_type"] == "stream"]
    lines = "".join("".join(output["text"]) for output in outputs).splitlines()
    measured = [line.split()[1:] for line in lines if line.startswith("MEASURED ")]
    return {field: int(kilobytes) * 1024 for field, kilobytes in measured}


def _end_with_parent() -> None:
    """Interrupts this process when whoever started it has ended."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
