"""Where the time of a notebook goes when students are graded one after the other through the judge.

    python benchmarks/phases.py [--students 4] [--parts 1 2 …]

Times the steps of `nbgrader autograde` in this process, by the clock and by what this process itself computes, a
notebook's mean over all students but the first, who waits for imports. The last lines are what the kernels compute, how
much of that before a first cell, and what it costs to preload a sandbox, which is paid once a worker.
"""

import argparse
import resource
import tempfile
from pathlib import Path

import steps
import ways
from nbclient import NotebookClient
from nbformat.v4 import new_notebook
from nbgrader.converters import Autograde

from attention.course import COURSE
from dev.course_copy import CONFIGURED
from grading.gradebook import course_folder, preprocessors
from grading.judge import execution, save_marks, workspace
from grading.sandbox import host
from grading.sandbox.kept_sandboxes import SANDBOXES

STEPS = (
    (Autograde, "convert_single_notebook", "a notebook"),
    (preprocessors.OverwriteCells, "preprocess", "  hidden tests put in"),
    (execution.Judge, "preprocess", "  the judge"),
    (workspace.Workspace, "bring_up_to_date", "    the kernel's folder"),
    (NotebookClient, "start_new_kernel", "    kernel: fork, or take the one forked ahead"),
    (NotebookClient, "start_new_kernel_client", "    kernel: first reply"),
    (execution.Judge, "preprocess_cell", "    student's cells, hidden tests"),
    (execution.Judge, "mark", "      hidden tests"),
    (NotebookClient, "_cleanup_kernel", "    kernel: let end, and the next one forked"),
    (save_marks.SaveMarks, "preprocess", "  marks into the gradebook"),
    (preprocessors.AssignLatePenalties, "preprocess", "  late penalties"),
)

EMPTY = 10  # notebooks without cells


def main() -> None:
    """Grades a class in this process and prints the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=4)
    ways.choose_parts(parser, ways.SHORT)
    chosen = parser.parse_args()
    if chosen.students < 2:
        parser.error("the first student is not measured: at least 2 are needed")
    spent = steps.noted(STEPS)
    computed_s, empty_s = _graded(chosen.students, chosen.parts, spent)
    notebooks = len(chosen.parts) * (chosen.students - 1)
    print(steps.table("milliseconds a notebook", spent, notebooks, 0))
    print(f"{'the kernel’s own computing':<48} {1000 * computed_s / notebooks:>5.0f}")
    print(f"{'  of a notebook without cells':<48} {1000 * empty_s / EMPTY:>5.0f}")
    print(f"{'a sandbox’s preload, a worker':<48} {1000 * preload_s():>5.0f}")


def _graded(count: int, parts: list[int], spent: steps.Spent) -> tuple[float, float]:
    """Grades a class, and notebooks without cells; the seconds that the kernels of each computed.

    What the first student took is taken out of `spent` again.
    """
    kernels_s = kernels_noted()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name)
        ways.build(root, count, parts)
        ways.reset(root, ways.JUDGE)
        api = course_folder.api(root)
        for number, student in enumerate(course_folder.students(root)):
            if number == 1:
                for found in (*spent.values(), kernels_s):
                    found.clear()
            ways.autograde(api, student)
        all_ended()
        computed_s = sum(kernels_s)
        kernels_s.clear()
        (root / "empty").mkdir()
        for _ in range(EMPTY):
            execution.Judge(config=CONFIGURED).preprocess(
                new_notebook(), {"metadata": {"path": str(root / "empty"), "name": "empty"}}
            )
        all_ended()
    return computed_s, sum(kernels_s)


def kernels_noted() -> list[float]:
    """A list into which each kernel that ends from now on puts the seconds that it has computed."""
    kernels_s, noted, closed = [], [], host.Kernel.close

    def note(kernel: host.Kernel) -> None:
        closed(kernel)
        if kernel.returncode is not None and kernel not in noted:  # its sandbox closes it once more
            noted[:] = [kernel]
            kernels_s.append(kernel.cpu_s)

    host.Kernel.close = note
    return kernels_s


def all_ended() -> None:
    """Waits until the last notebook's kernel has ended, which the judge does only before the next one."""
    pool = SANDBOXES.of_course(COURSE, True)
    pool.give_back(pool.take())


def preload_s() -> float:
    """What importing the libraries of a sandbox computes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    box = host.Sandbox(walled=False, libraries=COURSE.libraries)
    box.ready()
    box.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
