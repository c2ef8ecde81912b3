"""Runs cells in a sandbox's kernel, as nbgrader does, and counts the processes that are left."""

import contextlib
import glob
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import busy
import pytest
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from attention.course import COURSE
from grading.core.course import Libraries
from grading.core.limits import EndedBy
from grading.gradebook.configuration import KERNEL_ARGUMENTS
from grading.judge import kernels
from grading.sandbox import bubblewrap, gpu_trial
from grading.sandbox.host import Sandbox
from grading.sandbox.kept_sandboxes import Pool

IN_A_CELL = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'in a cell')\n"  # PR_SET_NAME: see `once_in_a_cell`
# For code that looks for what is left in its own process; the pattern, of bytes, must not match itself.
IN_MEMORY = """
import re

def read(memory, begin, end):
    try:
        memory.seek(begin)
        return memory.read(end - begin)
    except OSError:  # a page that guards a stack, which newer C libraries have within a mapping
        middle = (begin + end) // 8192 * 4096
        return read(memory, begin, middle) + read(memory, middle, end) if end - begin > 4096 else b''

def contents():
    with open('/proc/self/mem', 'rb') as memory, open('/proc/self/maps') as maps:
        for line in maps:
            places, rights = line.split()[:2]
            begin, end = (int(place, 16) for place in places.split('-'))
            if rights.startswith('rw'):
                yield read(memory, begin, end)

def in_memory(pattern):
    wanted = re.compile(pattern)
    return sum(len(wanted.findall(content)) for content in contents())
"""


class Run:
    """One notebook's run: what its cells printed, their outputs, whether the kernel died, and of what."""

    def __init__(
        self,
        pool: Pool,
        *cells: str,
        files: dict[str, str] | None = None,
        timeout_s: int = 60,
        arguments: Sequence[str] = (),
        package: bool = False,
    ) -> None:
        notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
        managers = []

        class Manager(kernels.KernelManager):
            def __init__(self, **settings: object) -> None:
                super().__init__(**settings)
                self.pool, self.package = pool, package
                managers.append(self)

        execute = Execute(
            kernel_manager_class=Manager,
            shutdown_kernel="immediate",
            allow_errors=True,
            timeout=timeout_s,
            extra_arguments=[*KERNEL_ARGUMENTS, *arguments],
        )
        started, self.died = time.monotonic(), False
        try:
            with tempfile.TemporaryDirectory() as folder:
                for name, text in (files or {}).items():
                    Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, name).write_text(text)
                execute.preprocess(notebook, {"metadata": {"path": folder}})
        except DeadKernelError:
            self.died = True
        except CellTimeoutError:  # of a kernel that does not even react to an interrupt
            pass
        self.seconds = time.monotonic() - started
        self.struck: EndedBy | None = managers[-1].struck
        self.outputs = [output for cell in notebook.cells for output in cell.outputs]
        self.errors = [output.ename for output in self.outputs if output.output_type == "error"]
        self.printed = "".join(o.text for o in self.outputs if o.output_type == "stream" and o.name == "stdout").strip()


def student(pool: Pool) -> tuple[Sandbox, set[int]]:
    """The sandbox that the next run will be in, and its processes."""
    box = pool.take()
    found = inside(box)
    pool.give_back(box)
    return box, found


def inside(box: Sandbox) -> set[int]:
    """The processes of a sandbox, as the host sees them: all descendants of the one that the judge started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = {box._process.pid} & parents.keys()
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def once_in_a_cell(box: Sandbox, deed: Callable[[], object]) -> threading.Thread:
    """Does something, in a thread, as soon as a cell that begins with `IN_A_CELL` runs, however late that is."""

    def is_in_a_cell(pid: int) -> bool:
        with contextlib.suppress(OSError):  # it has ended
            return Path(f"/proc/{pid}/comm").read_bytes() == b"in a cell\n"
        return False

    def wait() -> None:
        busy.wait_for(lambda: any(map(is_in_a_cell, inside(box))))
        deed()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def alive(pids: set[int]) -> set[int]:
    """Those of some processes that still run, or wait to be buried, after at most 10 seconds of an idle machine."""
    end = time.monotonic() + busy.patience(10)
    while (left := {pid for pid in pids if os.path.exists(f"/proc/{pid}")}) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def rewritten(patch: pytest.MonkeyPatch, folder: Path, name: str, before: str, after: str) -> None:
    """Has sandboxes run a program one file of which says `after` in place of `before`; `folder` is for that file."""
    program = {path.name: path for path in bubblewrap.PROGRAM}
    text = program[name].read_text(encoding="utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after), encoding="utf-8")
    patch.setattr(bubblewrap, "PROGRAM", tuple({**program, name: folder / name}.values()))


def with_a_gpu(patch: pytest.MonkeyPatch) -> None:
    """Has sandboxes start as on a machine with a GPU; where there is none, its device file leads nowhere."""
    if not glob.glob("/dev/nvidia*"):
        patch.setattr("grading.sandbox.host.glob.glob", lambda pattern: ["/dev/nvidia0"])
    patch.delenv(gpu_trial.VISIBLE, raising=False)


@contextlib.contextmanager
def opened(ahead: bool = False, bare: bool = False, **settings: object) -> Iterator[Pool]:
    """A pool that forks no kernel ahead unless asked to, closed at the end.

    With `bare` it loads Jupyter's modules and none of the course's libraries, which compute for two seconds: for tests
    in which these take no part.
    """
    pool = Pool(ahead=ahead, libraries=Libraries() if bare else COURSE.libraries, **settings)
    try:
        yield pool
    finally:
        pool.close()
