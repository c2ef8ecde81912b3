"""A command forks what workers are forked from, with a sandbox that loads while it imports: one sandbox, one owner."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import busy
import lean
import psutil
import pytest
from kernel_runs import alive, inside

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from dev.packages import REPOSITORY
from grading.classroom import worker_fork_server
from grading.core import command_line, errors
from grading.sandbox.host import SandboxError

ONE = course.PARTS[1]


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short name, because sockets lie in it, that others may go through."""
    made = Path(tempfile.mkdtemp(prefix="t-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def course_of_anna(folder: Path) -> Path:
    """A new course of one part below a folder, with anna's submission of it."""
    root = folder / "course"
    root.mkdir()
    lean.new(root, ONE)
    submitted = root / "submitted" / "anna" / COURSE.name
    submitted.mkdir(parents=True)
    lean.write(submitted, ONE, handed_in.model(ONE))
    return root


def graded_by(code: str, root: Path, temporary: Path, *options: str) -> subprocess.CompletedProcess:
    """How `grade` of the course in `root` ended, in a process of its own that begins with `code`."""
    command = [sys.executable, "-c", code, "grade", "--course", str(root), *options]
    env = {**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": ""}
    return subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)


def failing(error: Exception) -> Callable:
    """A function that raises this error, whatever it is given."""

    def fail(*_: object) -> None:
        raise error

    return fail


NOTED = """
import os, sys, threading
from grading import __main__ as command
from grading.sandbox import host
make = host.Sandbox.__init__

def noted(box, *given, **named):
    with open(FILE, "a") as file:
        print(os.getpid(), threading.current_thread() is threading.main_thread(), file=file)
    make(box, *given, **named)

FILE = sys.argv.pop()
host.Sandbox.__init__ = noted
print(os.getpid())
sys.exit(command.command_line.alone(command.main))
"""


def test_a_class_is_graded_in_the_sandbox_that_was_begun_next_to_the_imports_and_nothing_is_left(
    tmp_path: Path, temporary: Path
):
    """A second sandbox, or one for nothing, would be seen by nobody but for the time it takes."""
    root, made = course_of_anna(tmp_path), tmp_path / "made"

    def grade(*options: str) -> tuple[str, str]:
        run = graded_by(NOTED, root, temporary, *options, str(made))
        assert (run.returncode, run.stderr, list(temporary.iterdir())) == (0, "", [])
        pid, *said = run.stdout.splitlines()
        return pid, "\n".join(said)

    pid, said = grade()
    assert made.read_text() == f"{pid} False\n" and "10" in said
    assert "unchanged" in grade()[1] and made.read_text() == f"{pid} False\n"
    again, _ = grade("--force", "--student", "anna")
    assert made.read_text() == f"{pid} False\n{again} False\n"


OWNED = """
import gc, multiprocessing, os, signal, sys, tempfile
from pathlib import Path
from grading.classroom import worker_fork_server
from grading.core import command_line
from grading.core.course import Course, Libraries, Part
from grading.sandbox.kept_sandboxes import SANDBOXES

SMALL = Course("small", "Small", "Small", (Part(1, "One", "one", ("one",), 1),), libraries=Libraries(("json",)))

def work(pipe):
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    as_it_should = handlers == [signal.SIG_DFL, signal.SIG_IGN] and gc.isenabled() and tempfile.tempdir is None
    box = SANDBOXES.of_course(SMALL, True).take() if SANDBOXES._pools else None
    pipe.send((os.getppid(), box and box._process.pid, box and box.answers(), as_it_should))
    multiprocessing.parent_process().join()  # as workers of Dask

def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with worker_fork_server.begun(Path("nowhere")):
        SANDBOXES.begin(SMALL)
    workers = []
    for _ in range(2):
        ours, theirs = multiprocessing.Pipe()
        worker = multiprocessing.get_context("forkserver").Process(target=work, args=(theirs,), daemon=True)
        worker.start()
        workers.append(worker.pid)
        server, *found = ours.recv()
        print(*found, worker.pid, server, flush=True)
    input()

command_line.alone(main)
"""


class Box:
    """A sandbox by the number of its process."""

    def __init__(self, pid: int) -> None:
        self._process = type("Process", (), {"pid": pid})


def is_zombie(pid: int) -> bool:
    """Whether a process has ended and nobody has waited for it, after at most 10 seconds of an idle machine."""
    end = time.monotonic() + busy.patience(10)
    while (found := psutil.Process(pid).status()) != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.02)
    return found == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("ends", ["the worker", "the command", "Ctrl-C", "all is well"])
def test_a_sandbox_has_one_owner_and_ends_with_it_and_with_the_command(ends: str, temporary: Path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    env = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", OWNED], cwd=REPOSITORY, env=env, **pipes) as command:
        pid, answers, first_is_right, worker, server = command.stdout.readline().split()
        none, _, second_is_right, other, same = command.stdout.readline().split()
        assert (answers, none, first_is_right, second_is_right, same) == ("True", "None", "True", "True", server)
        processes = inside(Box(int(pid)))
        assert processes
        if ends == "the worker":
            os.kill(int(worker), signal.SIGKILL)
            assert not alive(processes - {int(pid)}) and is_zombie(int(pid)) and command.poll() is None
        elif ends == "the command":
            command.kill()
        elif ends == "Ctrl-C":
            command.send_signal(signal.SIGINT)
        error = command.communicate("\n" if command.poll() is None else None)[1]
    assert not alive({*processes, int(worker), int(other), int(server)})
    assert error == "" or ends == "Ctrl-C" and error.rstrip().endswith("KeyboardInterrupt")
    if ends != "the command":
        assert list(temporary.iterdir()) == []


def test_only_a_command_that_is_alone_in_its_process_forks_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """What tests or a service run next in the process may have other limits."""
    called = []
    monkeypatch.setattr(worker_fork_server.fork_server, "begin", lambda modules: called.append("begin"))
    monkeypatch.setattr(worker_fork_server.fork_server, "fork", lambda first: called.append("fork"))

    def begin() -> None:
        with worker_fork_server.begun(tmp_path):
            called.append("imports")

    begin()
    command_line.alone(begin)
    monkeypatch.setattr(worker_fork_server.sys, "platform", "darwin")
    command_line.alone(begin)
    assert called == ["begin", "imports", "imports", "fork", "begin", "imports"]


STOPPED = """
import threading, time
from pathlib import Path
from grading.classroom import worker_fork_server
from grading.core import command_line
go, make = threading.Event(), worker_fork_server.bubblewrap.available
worker_fork_server.bubblewrap.available = lambda: go.wait() and time.sleep(0.5) or make()

def main():
    with worker_fork_server.begun(Path(), None, True):
        go.set()
        raise KeyboardInterrupt

command_line.alone(main)
"""


def test_a_command_that_is_stopped_while_it_imports_leaves_nothing(temporary: Path):
    env = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run([sys.executable, "-c", STOPPED], cwd=REPOSITORY, env=env, capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == "KeyboardInterrupt" and run.stderr.count("Traceback") == 1
    assert list(temporary.iterdir()) == []


def test_a_sandbox_is_begun_for_a_submission_that_no_run_has_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    course_copy.new(tmp_path, ONE)
    begun = []
    monkeypatch.setattr(worker_fork_server, "_begin_sandbox", begun.append)
    monkeypatch.setattr(worker_fork_server.fork_server, "fork", lambda first: None)
    monkeypatch.setattr(worker_fork_server.command_line, "is_alone", lambda: True)

    def begins(*asked: object) -> bool:
        begun.clear()
        with worker_fork_server.begun(tmp_path, *asked):
            pass
        return begun == [COURSE]

    assert not begins(None, False)
    for step, student in (("submitted", "anna"), ("submitted", "b[o]b"), ("autograded", "anna")):
        (tmp_path / step / student / COURSE.name).mkdir(parents=True)
    assert begins(None, False) and begins("b[o]b", False) and begins("anna", True)
    assert not begins("anna", False) and not begins("bob", False)
    with open(tmp_path / "nbgrader_config.py", "a", encoding="utf-8") as file:
        file.write('c.Judge.sandbox = "none"\n')
    assert not begins(None, True)


def test_where_no_thread_starts_a_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    course_copy.new(tmp_path, ONE)
    (tmp_path / "submitted" / "anna" / COURSE.name).mkdir(parents=True)
    monkeypatch.setattr(worker_fork_server.command_line, "is_alone", lambda: True)
    monkeypatch.setattr(threading.Thread, "start", failing(RuntimeError("can't start new thread")))
    with (
        pytest.raises(errors.CourseError, match="no new process can be started: can't start new thread. "),
        worker_fork_server.begun(tmp_path),
    ):
        pytest.fail("the command goes on")


REFUSED = """
import sys
from grading import __main__ as command
from grading.sandbox import bubblewrap, install
bubblewrap.SEARCH, install.walls = "/nowhere", lambda: None
sys.exit(command.command_line.alone(command.main))
"""


def test_where_the_walls_do_not_stand_the_sandbox_that_was_begun_leaves_nothing(tmp_path: Path, temporary: Path):
    root = course_of_anna(tmp_path)
    run = graded_by(REFUSED, root, temporary)
    assert run.returncode == 1 and "bubblewrap" in run.stderr and "Traceback" not in run.stderr
    assert list(temporary.iterdir()) == [] and not (root / "autograded").exists()


INSTALLED = """
import os, shutil, sys
from grading import __main__ as command
from grading.sandbox import bubblewrap, install

def walls():
    os.symlink(os.path.dirname(found), bubblewrap.SEARCH)
    bubblewrap.available.cache_clear()

found, bubblewrap.SEARCH, install.walls = shutil.which("bwrap", path=bubblewrap.SEARCH), sys.argv.pop(), walls
sys.exit(command.command_line.alone(command.main))
"""


def test_a_class_is_graded_where_the_command_itself_has_just_installed_the_walls(tmp_path: Path, temporary: Path):
    run = graded_by(INSTALLED, course_of_anna(tmp_path), temporary, str(tmp_path / "bin"))
    assert (run.returncode, run.stderr) == (0, "") and "1 graded" in run.stdout
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("error", [OSError("no space left on device"), SandboxError("can't start new thread")])
def test_a_sandbox_that_finds_no_room_is_left_for_the_worker_to_report(
    error: Exception, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker_fork_server.SANDBOXES, "begin", failing(error))
    worker_fork_server._begin_sandbox(COURSE)  # in a thread, which would print a traceback


def test_a_trial_of_the_walls_that_finds_no_room_is_left_for_whoever_asks_next(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker_fork_server.bubblewrap, "available", failing(OSError("no space left on device")))
    worker_fork_server._try_walls()  # in a thread, too
