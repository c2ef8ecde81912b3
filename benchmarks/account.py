"""Where every millisecond of computing goes, between the cells of a model answer and its marks in the gradebook.

    python benchmarks/account.py [--rounds 5] [--parts 1 2 …] [--results FOLDER]

Each line of the table is the difference of experiments, a notebook's mean over the parts; those that are not indented
add up to the last one. Cells run by exec a second time, for the first time in a fork, and by an IPython shell, in
processes of their own (cells_alone.py). Then the judge grades here, behind walls: notebooks without cells, the same
notebooks without their hidden tests, those with further cells that do nothing, and whole; at last `nbgrader autograde`
does. Beside it nbclient alone runs notebooks without cells in the same kernels: the last line is a grader by nbclient,
ipykernel and nbgrader that does nothing else. Computing counts, of kernels and of this process, not the clock.
Writes a line per measure and round to benchmarks/results/account.csv; prints medians.
"""

import argparse
import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import ways

# isort: split
import csv_table
import nbformat
import phases
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.course_copy import CONFIGURED
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.judge import execution, kernels
from grading.sandbox.kept_sandboxes import SANDBOXES

COLUMNS = ("round", "measure", "ms")
DIGITS = 1  # of milliseconds, after the point
FURTHER = 20  # cells of a notebook that do nothing
Found = dict[str, float]
# What each line says, and the experiments of which it is the difference; indented ones are part of the line above.
LINES: tuple[tuple[str, str, str | None], ...] = (
    ("the cells, run a second time", "again", None),
    ("  of it drawing", "again", "undrawn"),
    ("their first run, in a kernel", "untested kernel", "empty kernel + again"),
    ("  of it what libraries remember later", "first", "remembered"),
    ("  of it IPython's shell", "shell", "first"),
    ("  of it pages of memory given to a fork", "given", None),
    ("  of it messages of the cells", "messages kernel", None),
    ("a kernel's start and end", "empty kernel", None),
    ("answers to the hidden test", "tested kernel", "untested kernel"),
    ("the judge, hidden test included", "tested judge", None),
    ("  of it a notebook without cells", "empty judge", None),
    ("  of it messages of the cells", "messages judge", None),
    ("  of it the hidden test", "tested judge", "untested judge"),
    ("nbgrader", "autograde", "tested kernel + tested judge"),
    ("in all", "autograde", None),
)

# What is added to the floor, and what isn't, by a grader whose kernels, nbclient and nbgrader do what they do here, and
# which does nothing else: it has no rules, asks the kernel nothing, and libraries have nothing left to learn.
ADDED = "untested kernel + nbclient + messages judge + autograde + remembered"
LEFT_OUT = "again + tested kernel + tested judge + first"


def main() -> int:
    """Measures, writes the table and prints the account."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    ways.choose_parts(parser, ways.SHORT)
    parser.add_argument("--results", type=Path, default=csv_table.RESULTS)
    chosen = parser.parse_args()
    taken: list[tuple[int, str, float]] = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name)
        ways.build(root, 1, chosen.parts)
        (folder,) = (root / "submitted").glob(f"*/{COURSE.name}")
        kernels_s = phases.kernels_noted()
        for number in range(chosen.rounds + 1):
            print(f"[{number}/{chosen.rounds}]", flush=True)
            found = {**judged(folder, chosen.parts, kernels_s), **graded(root, chosen.parts, kernels_s)}
            found["nbclient"] = by_nbclient(folder, len(chosen.parts), kernels_s)
            if number:  # before it, this process had much to import
                found = {**alone(folder), **found}
                found |= {f"messages {where}": _messages_ms(found, where) for where in ("kernel", "judge")}
                taken += [(number, measure, round(ms, DIGITS)) for measure, ms in found.items()]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in taken]
    csv_table.write(chosen.results / "account.csv", COLUMNS, rows, DIGITS)
    print(f"\n{summary(taken)}")
    return 0


def alone(folder: Path) -> Found:
    """What the cells compute without a kernel: means of the measures of cells_alone.py."""
    script = str(Path(__file__).with_name("cells_alone.py"))
    quiet = {**ways.environment(), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    run = subprocess.run([sys.executable, script, folder], env=quiet, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"account: {(run.stderr.strip().splitlines() or ['cells_alone.py failed'])[-1]}")
    return {measure: statistics.fmean(of.values()) for measure, of in json.loads(run.stdout).items()}


def judged(folder: Path, parts: list[int], kernels_s: list[float]) -> Found:
    """What kernels and this process compute, a notebook's mean, where the judge runs them by itself."""
    whole = {course.PARTS[number].stem: _with_test(course.PARTS[number]) for number in parts}
    untested = {stem: _without_test(notebook) for stem, notebook in whole.items()}
    found, empty = {}, dict.fromkeys(whole, new_notebook())
    crowded = {stem: _with_further_cells(notebook) for stem, notebook in untested.items()}
    kinds = {"empty": empty, "untested": untested, "crowded": crowded, "tested": whole}
    for kind, notebooks in kinds.items():
        given = [copy.deepcopy(notebook) for notebook in notebooks.values()]

        def judge(given: list = given) -> None:
            for stem, notebook in zip(whole, given, strict=True):
                judge = execution.Judge(config=CONFIGURED)
                judge.preprocess(notebook, {"metadata": {"path": str(folder), "name": stem}})

        found[f"{kind} kernel"], found[f"{kind} judge"] = _computed_ms(judge, len(whole), kernels_s)
    return found


def graded(root: Path, parts: list[int], kernels_s: list[float]) -> Found:
    """What kernels and this process compute together, a notebook's mean, by `nbgrader autograde`.

    Errors  SystemExit with one line if that fails.
    """
    ways.reset(root, ways.JUDGE)
    api = course_folder.api(root)
    (student,) = course_folder.students(root)
    return {"autograde": sum(_computed_ms(partial(ways.autograde, api, student), len(parts), kernels_s))}


def by_nbclient(folder: Path, notebooks: int, kernels_s: list[float]) -> float:
    """What this process computes, a notebook's mean, where nbclient alone runs notebooks without cells."""

    def run() -> None:
        for _ in range(notebooks):
            Client(new_notebook(), kernel_manager_class=kernels.KernelManager, shutdown_kernel="immediate").execute(
                cwd=str(folder)
            )

    return _computed_ms(run, notebooks, kernels_s)[1]


class Client(NotebookClient):
    """nbclient, with the judge's kernels."""

    def create_kernel_manager(self) -> kernels.KernelManager:
        """A manager of kernels of the course's sandbox."""
        manager = super().create_kernel_manager()
        manager.pool = SANDBOXES.of_course(COURSE, walled=True)
        return manager


def _messages_ms(found: Found, where: str) -> float:
    """Milliseconds that the messages of a notebook's cells cost, by what further cells did."""
    return (found[f"crowded {where}"] - found[f"untested {where}"]) / FURTHER * found["cells"]


def summary(taken: list[tuple[int, str, float]]) -> str:
    """The account: medians over the rounds, line by line."""
    medians = {
        measure: statistics.median(ms for _, other, ms in taken if other == measure)
        for measure in dict.fromkeys(measure for _, measure, _ in taken)
    }
    lines = ["milliseconds of computing per notebook"]

    def added_up(measures: str) -> float:
        return sum(medians[name] for name in measures.split(" + "))

    for label, measure, less in LINES:
        took = medians[measure] - (added_up(less) if less else 0)
        lines.append(f"{label:<42} {took:>5.0f}")
    pages, cells, floor = (medians[name] for name in ("pages", "cells", "floor"))
    lines.append(f"a first run in a fork is given {pages:.0f} pages of memory; a notebook runs {cells:.1f} cells")
    lines.append(f"the floor: a second run in one process, hidden test included, {floor:.0f}")
    least = floor + added_up(ADDED) - added_up(LEFT_OUT)
    lines.append(
        f"the floor with kernels, nbclient and nbgrader, and nothing else: {least:.0f}, {least / floor:.2f} times"
    )
    return "\n".join(lines)


def read(path: Path) -> list[tuple[int, str, float]]:
    """What a run has measured, from its table."""
    return [(int(row["round"]), row["measure"], row["ms"]) for row in csv_table.read(path, {"round", "ms"})]


def _computed_ms(call: Callable[[], object], notebooks: int, kernels_s: list[float]) -> tuple[float, float]:
    """Milliseconds per notebook that the kernels of a call compute, and that this process does."""
    kernels_s.clear()
    own = time.process_time()
    call()
    own_s = time.process_time() - own
    phases.all_ended()
    return 1000 * sum(kernels_s) / notebooks, 1000 * own_s / notebooks


def _with_test(part: Part) -> nbformat.NotebookNode:
    """A model answer with its part's hidden test, as nbgrader would hand it to the judge."""
    notebook = nbformat.from_dict(handed_in.model(part))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
        if cell.id == f"{part.stem}-test":
            cell.source = handed_in.sources(part)[cell.id]
    return notebook


def _with_further_cells(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    more = copy.deepcopy(notebook)
    more.cells += [new_code_cell("pass") for _ in range(FURTHER)]
    return more


def _without_test(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    left = copy.deepcopy(notebook)
    left.cells = [cell for cell in left.cells if not cell.id.endswith("-test")]
    return left


if __name__ == "__main__":
    os.environ.update(ways.environment())
    sys.exit(main())
