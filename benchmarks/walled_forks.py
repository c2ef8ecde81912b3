"""A process that runs submitted notebooks in several ways, as often as it is asked to, for floor_in_forks.py.

    python -c "import walled_forks; walled_forks.measure()"

It has run all notebooks that lie in the working folder, so that nothing is left for libraries to learn. Its memory is
in large pages, as a sandbox's is. Reads a line of JSON for each student, [way, student], and prints what the notebooks
took, [seconds of computing, seconds by the clock]; the first line that it prints says that it is ready.
"""

import ctypes
import functools
import gc
import itertools
import json
import os
import resource
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import NoReturn

import ways

# isort: split
import cells_alone
import floor
import torch

from attention import course
from attention.course import COURSE
from grading.bridge import probe, remote
from grading.sandbox import huge_pages, namespaces, zygote

ONE, FORKS, WALLED, APART = ("one process", "forks", "walled forks", "walled forks, tests apart")
PLACES = {"/dev/shm": "size=1m", "/mnt": "size=1m"}  # not /tmp, where the notebooks lie
END = b""  # in place of a request: the notebook is marked
in_walled_fork = functools.partial(
    cells_alone.in_fork, before=functools.partial(namespaces.furnish, PLACES, []), fork=namespaces.fork
)


@dataclass(frozen=True)
class Submitted:
    """A notebook that a student submitted, and its part's hidden test."""

    path: Path
    test: str
    points: float

    def run(self) -> None:
        """Runs its cells and its test in this process."""
        os.chdir(self.path.parent)
        self._check(floor.run(self.path, self.test, self.points))

    def answer(self, test: Connection) -> None:
        """Runs its cells in this process, and answers what its test asks from another one."""
        os.chdir(self.path.parent)
        floor.run_cells(floor.read(self.path), self.path.stem)
        while (request := test.recv_bytes()) != END:
            test.send_bytes(remote.answer(request, vars(sys.modules["__main__"])))

    def run_test(self, answers: Connection) -> None:
        """Runs its test in this process, and asks another one, in which its cells run."""
        with probe.through(Asking(answers), COURSE.calls):
            self._check(floor.run_test(floor.read(self.path), self.path.stem, self.test, self.points))
        answers.send_bytes(END)

    def _check(self, found: float | None) -> None:
        """Errors  RuntimeError if a model answer earns less than all its points: then this is no grading."""
        if found != self.points and self.path.parent.parent.name.endswith(ways.MODEL):
            raise RuntimeError(f"{self.path.name} earned {found} of {self.points}")


@dataclass(frozen=True)
class Asking:
    """Where `probe` sends its requests: to another process, without a limit."""

    answers: Connection

    def ask(self, request: bytes, _limit_s: float) -> bytes:
        """The reply's bytes."""
        self.answers.send_bytes(request)
        return self.answers.recv_bytes()


class Deciding:
    """A process forked from this one, in which the tests run and no student's code does."""

    def __init__(self, students: dict[str, list[Submitted]]) -> None:
        (self._tests, answers), (self._orders, orders) = Pipe(), Pipe()
        if os.fork() == 0:
            self._tests.close()
            self._orders.close()
            _decide(students, answers, orders)
        answers.close()
        orders.close()

    def run_tests(self, student: str, notebooks: list[Submitted]) -> float:
        """Runs a student's notebooks in walled forks of this process; gives the seconds that their tests computed."""
        self._orders.send_bytes(student.encode())
        for submitted in notebooks:
            in_walled_fork(functools.partial(submitted.answer, self._tests))
        return json.loads(self._orders.recv_bytes())


def _decide(students: dict[str, list[Submitted]], answers: Connection, orders: Connection) -> NoReturn:
    """Runs the tests of each student that is ordered, and tells what they computed, until nobody orders any more."""
    try:
        while student := orders.recv_bytes().decode():
            before = time.process_time()
            for submitted in students[student]:
                submitted.run_test(answers)
            orders.send_bytes(json.dumps(time.process_time() - before).encode())
    except EOFError:
        os._exit(0)
    except Exception:  # noqa: BLE001  (whatever it is, this process ends here)
        traceback.print_exc()
    os._exit(1)


def measure() -> None:
    """Runs what students submitted in the working folder, and then measures what each line of the input asks for."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    floor.draw_when_shown()
    tests = {part.stem: (floor.test(part), part.automatic) for part in course.PARTS.values()}
    students: dict[str, list[Submitted]] = {}
    for path in sorted(Path().resolve().glob(f"*/{COURSE.name}/*.ipynb")):
        students.setdefault(path.parent.parent.name, []).append(Submitted(path, *tests[path.stem]))
    for submitted in itertools.chain(*students.values()):
        submitted.run()
    gc.collect()
    gc.freeze()
    huge_pages.collapse()
    # As in a sandbox: from Python 3.13 on, what a process in between forks becomes a child of this one.
    ctypes.CDLL(None).prctl(zygote.PR_SET_CHILD_SUBREAPER, 1)
    deciding = Deciding(students)
    for student, notebooks in students.items():
        deciding.run_tests(student, notebooks)
    print(json.dumps((0, 0)), flush=True)
    each_in = {ONE: lambda run: run(), FORKS: cells_alone.in_fork, WALLED: in_walled_fork}
    for line in sys.stdin:
        way, student = json.loads(line)
        before, began, apart_s = _computed_s(), time.perf_counter(), 0.0
        if way == APART:
            apart_s = deciding.run_tests(student, students[student])
        else:
            for submitted in students[student]:
                each_in[way](submitted.run)
        print(json.dumps((_computed_s() - before + apart_s, time.perf_counter() - began)), flush=True)


def _computed_s() -> float:
    """What this process and its ended children have computed."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
