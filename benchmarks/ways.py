"""Course folders for the benchmark, and the ways to grade one: each a command that grades all that lies in it."""

import argparse
import contextlib
import io
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nbgrader.apps import NbGraderAPI

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in, sample_class
from dev.packages import REPOSITORY
from grading.gradebook import course_folder, generate_assignment, marks, nbgrader_log

HERE = Path(__file__).resolve().parent
LONG = 13  # the part that computes longer than all others together
SHORT = [part for part in course.PARTS if part != LONG]
MODEL = "model-answers"
KINDS = (MODEL, "usual-mistakes", "unusual-style", "rule-breaker", "half-done", "untouched-release")
STOCK = """c = get_config()
c.CourseDirectory.course_id = "attention"
c.Execute.timeout = 600  # part 13 takes longer than the 30 seconds of the default
"""
NBGRADER = [sys.executable, "-m", "nbgrader", "autograde", COURSE.name]
CLASS = """
import sys
from pathlib import Path
from grading.core import command_line

def main():
    from grading.classroom import worker_fork_server
    root = Path({root!r})
    with command_line.importing(), worker_fork_server.begun(root):  # as the command starts
        from grading.classroom import class_run
        from grading.gradebook import course_folder
    for result in class_run.graded(root, course_folder.students(root), {workers}, feedback=False):
        if result.error or result.unmarked:
            raise SystemExit(f"{{result.student}}: {{result.error or result.unmarked}}")
    return 0

if __name__ == "__main__":
    sys.exit(command_line.alone(main))
"""
FLOOR = "import floor; floor.main()"

Marks = dict[str, dict[int, float | None]]


ON_ONE_CORE = (
    "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); os.execv(sys.argv[1], sys.argv[1:])"
)


@dataclass(frozen=True)
class Way:
    """A way to grade a class: its name in tables, the configuration that nbgrader finds, workers, all on one core."""

    name: str
    workers: int = 1
    stock: bool = False
    one_core: bool = False

    def command(self, root: Path) -> list[str]:
        """The command line; a class is started from a file, because its workers are started again from it."""
        if self.name.startswith("floor"):
            return [sys.executable, "-c", FLOOR, str(root), str(self.workers)]
        if not self.name.startswith("class"):
            return NBGRADER
        script = root / "class.py"
        script.write_text(CLASS.format(root=str(root), workers=self.workers), encoding="utf-8")
        first = [sys.executable, "-c", ON_ONE_CORE] if self.one_core else []
        return [*first, sys.executable, str(script)]


STOCK_WAY, JUDGE, FLOOR_WAY = Way("stock", stock=True), Way("judge"), Way("floor")
TWO_FLOORS = Way("floor, 2 at once", workers=2)
ONE_CORE = Way("class on 1, 1 core", one_core=True)


def class_of(workers: int) -> Way:
    """The class command on so many workers."""
    return Way(f"class on {workers}", workers)


def environment() -> dict[str, str]:
    """What every way is started with: the packages, and nothing of this process's plots.

    Python keeps what it compiles, as it does for a user: else each process would compile all of our code again.
    """
    paths = dict.fromkeys([str(REPOSITORY), str(HERE)])
    bins = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PATH": os.pathsep.join(bins)}
    for ours in ("MPLBACKEND", "PYTHONDONTWRITEBYTECODE"):
        found.pop(ours, None)
    return found


def choose_parts(parser: argparse.ArgumentParser, default: list[int]) -> None:
    """Adds the option that says which parts are graded."""
    parser.add_argument("--parts", type=int, nargs="+", default=default, choices=list(course.PARTS))


def build(root: Path, students: int, parts: list[int]) -> None:
    """Makes a course folder with so many students, honest and wrong in turns, who submit these parts."""
    course_copy.new(root)
    with contextlib.redirect_stdout(io.StringIO()):
        sample_class.build(root)
    made = root / "made"
    (root / "submitted").rename(made)
    for n in range(students):
        kind = KINDS[n % len(KINDS)]
        folder = root / "submitted" / f"{n:03d}-{kind}" / COURSE.name
        folder.mkdir(parents=True)
        handed_in.equip(folder)  # the floor has nothing else to take it from
        for part in parts:
            name = f"{course.PARTS[part].stem}.ipynb"
            shutil.copyfile(made / kind / COURSE.name / name, folder / name)
    shutil.rmtree(made)
    generate_assignment.register(root)
    (root / "gradebook.db").rename(root / "gradebook.new")


def reset(root: Path, way: Way) -> None:
    """Makes a course folder as if nothing had been graded, with the way's configuration."""
    for name in ("autograded", "feedback"):
        shutil.rmtree(root / name, ignore_errors=True)
    shutil.copyfile(root / "gradebook.new", root / "gradebook.db")
    if way.stock:
        (root / course_folder.CONFIGURATION).write_text(STOCK, encoding="utf-8")
    else:
        course_folder.configure(root, REPOSITORY)


def autograde(api: NbGraderAPI, student: str) -> None:
    """Has nbgrader grade a student's notebooks in this process.

    Errors  SystemExit with one line if that fails.
    """
    result = api.autograde(COURSE.name, student, force=True, create=True)
    if not result["success"]:
        sys.exit(f"autograde: {student}: {nbgrader_log.last_error(result)}")


def earned(root: Path, way: Way, log: Path) -> Marks:
    """The marks that a way has found, by student and part.

    Errors  RuntimeError if a model answer has not earned full marks: then what was measured is not grading.
    """
    if way.name.startswith("floor"):
        last = json.loads(log.read_text().splitlines()[-1])
        found = {student: {int(stem[4:]): mark for stem, mark in row.items()} for student, row in last.items()}
    else:
        with course_folder.gradebook(root) as book:
            found = {row.student: row.parts for row in marks.read(book, COURSE)}
    submitted = {path.parent.parent.name: {} for path in root.glob(f"submitted/*/{COURSE.name}/*.ipynb")}
    for student in submitted:
        folder = root / "submitted" / student / COURSE.name
        submitted[student] = {n: found[student][n] for n in course.PARTS if (folder / f"part{n:02d}.ipynb").exists()}
    for student, row in submitted.items():
        wrong = [n for n, mark in row.items() if mark != course.PARTS[n].automatic]
        if student.endswith(MODEL) and wrong:
            raise RuntimeError(f"{way.name}: the model answers of parts {wrong} did not earn full marks")
    return submitted
