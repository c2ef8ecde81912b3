"""The floor: a class's cells run by exec, one notebook after the other, in one process that imports torch once.

    python -c "import floor; floor.main()" COURSE_FOLDER PROCESSES

With more than one process its forks share the students, which shows what a machine makes of another core. No kernels,
no walls, no nbgrader and no gradebook; the hidden tests call the answers directly. Prints the marks as JSON, {student:
{part: marks}}. The cells run in the process's own `__main__`, where `probe` looks for their names.
"""

import contextlib
import functools
import io
import json
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import torch
from IPython.core.inputtransformer2 import TransformerManager

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.judge import execution
from grading.rules import student_code


def main() -> None:
    """Runs every notebook of every student."""
    root, processes = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    draw_when_shown()
    students = course_folder.students(root)
    grade = functools.partial(_graded, root, {part.stem: test(part) for part in course.PARTS.values()})
    if processes == 1:
        found = [grade(student) for student in students]
    else:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            found = pool.map(grade, students, chunksize=1)
    print(json.dumps(dict(zip(students, found, strict=True))))


def _graded(root: Path, tests: dict[str, str], student: str) -> dict[str, float | None]:
    """The marks of a student's notebooks."""
    folder = root / "submitted" / student / COURSE.name
    os.chdir(folder)
    points = {part.stem: part.automatic for part in course.PARTS.values()}
    return {path.stem: run(path, tests[path.stem], points[path.stem]) for path in sorted(folder.glob("*.ipynb"))}


def run(path: Path, test: str, points: float) -> float | None:
    """The marks of one notebook."""
    notebook = read(path)
    try:
        run_cells(notebook, path.stem)
        return run_test(notebook, path.stem, test, points)
    finally:
        plt.close("all")


def read(path: Path) -> dict:
    """A notebook, each cell's source in one piece."""
    notebook = handed_in.read(path)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def run_cells(notebook: dict, stem: str) -> None:
    """Runs a part's cells in `__main__`, which is emptied before; not its hidden test."""
    names = vars(sys.modules["__main__"])
    names.clear()
    names.update(__name__="__main__", __builtins__=__builtins__, display=print)
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code" or cell["id"] == f"{stem}-test":
            continue
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception, SystemExit):
            exec(TransformerManager().transform_cell(cell["source"]), names)


def run_test(notebook: dict, stem: str, test: str, points: float) -> float | None:
    """The marks of a part whose cells have run, wherever `probe` asks for their names."""
    with student_code.of(notebook):
        return execution.run_test(test, f"{stem}-test", points).marks


def draw_when_shown() -> None:
    """From now on `plt.show` draws all figures as PNG, as a notebook does."""
    plt.show = _render


def _render() -> None:
    for number in plt.get_fignums():
        plt.figure(number).savefig(io.BytesIO(), format="png", bbox_inches="tight")
    plt.close("all")


def test(part: Part) -> str:
    """A part's hidden test."""
    return handed_in.sources(part)[f"{part.stem}-test"]
