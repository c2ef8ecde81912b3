"""Workers start early: forked from a process that has imported for them, with their sandbox under way before a task."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import busy
import pytest
from distributed import Status

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run, cluster, worker
from grading.core import errors
from grading.core.course import Course, Part
from grading.sandbox import kept_sandboxes

ONE = course.PARTS[1]
SMALL = Course("small", "Small", "Small", (Part(1, "One", "one", ("one",), 1),))


def answer(team: cluster.Workers) -> object:
    """What the one task gives."""
    _, found = team.next(busy.patience(60))
    return found


def one_student(root: Path) -> None:
    course_copy.new(root, ONE)
    folder = root / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, ONE, handed_in.model(ONE))


FRESH = """
import gc, signal, sys
from grading.classroom import cluster
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background job ignores
look = lambda: (gc.isenabled(), gc.get_freeze_count() > 100_000, "nbgrader.apps" in sys.modules, signal.getsignal(2))
with cluster.Workers(1, None) as team:
    team.submit("look", look)
    print(*team.next(600)[1], signal.getsignal(2) is signal.default_int_handler)
"""


def test_workers_are_forked_with_what_they_import_collect_only_their_own_garbage_and_hear_no_ctrl_c():
    run = subprocess.run([sys.executable, "-c", FRESH], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == (f"True True True {signal.SIG_IGN} True\n", "")


def test_a_worker_that_is_prepared_has_its_sandbox_before_its_first_task():
    def sandboxes() -> tuple:
        end = time.monotonic() + busy.patience(30)
        while not (made := len(kept_sandboxes.SANDBOXES._pools)) and time.monotonic() < end:
            time.sleep(0.01)
        kept = kept_sandboxes.SANDBOXES.of_course(SMALL, False)
        return made, len(kept_sandboxes.SANDBOXES._pools), kept._kept.answers()

    with cluster.Workers(1, None) as team:
        team.start(worker.prepare, False, SMALL)
        team.submit("sandboxes", sandboxes)
        assert answer(team) == (1, 1, True)


def test_a_worker_that_grades_already_is_not_prepared(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kept_sandboxes.SANDBOXES, "of_course", lambda *_: pytest.fail("a second sandbox is started"))
    with worker._one_at_a_time:
        worker._prepare(False, SMALL)


def test_what_a_worker_cannot_prepare_fails_no_run():
    async def fail() -> None:
        raise ValueError("nothing")

    with cluster.Workers(1, None) as team:
        team.start(fail)
        opening = team._opening
        team.start(fail)
        assert team._opening is opening  # they start already
        team.submit("sum", sum, [1, 2])
        assert answer(team) == 3
    with cluster.Workers(1, None) as team:
        team.start(print)  # which is no coroutine function, so that the worker's own program refuses it
        team.submit("sum", sum, [1, 2])
        assert answer(team) == 3


def test_workers_start_in_the_background_until_somebody_needs_them(monkeypatch: pytest.MonkeyPatch):
    goes_on, prepared = threading.Event(), []

    def opened(workers: int) -> None:
        assert goes_on.wait(60)
        raise errors.CourseError("the workers do not start")

    monkeypatch.setattr(cluster.local_cluster, "opened", opened)
    monkeypatch.setattr(cluster.worker_fork_server, "prepare", lambda: prepared.append(threading.current_thread()))
    with cluster.Workers(1, None) as team:
        team.start(worker.prepare, False, SMALL)
        assert not team._opening.done() and prepared == [threading.current_thread()]
        goes_on.set()
        with pytest.raises(errors.CourseError, match="the workers do not start"):
            team.submit("sum", sum, [1, 2])


STOPPED = """
import os, signal
from distributed import Nanny
from grading.classroom import cluster
signal.signal(signal.SIGINT, signal.default_int_handler)
start = Nanny.start_unsafe

async def stopped(nanny):
    os.kill(os.getpid(), signal.SIGINT)
    return await start(nanny)

Nanny.start_unsafe = stopped
with cluster.Workers(1, None) as team:
    team.submit("sum", sum, [1, 2])
    team.next(60)
"""


def test_ctrl_c_while_the_first_task_waits_for_the_workers_leaves_nothing_of_them(tmp_path: Path):
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run([sys.executable, "-c", STOPPED], cwd=REPOSITORY, env=env, capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == "KeyboardInterrupt" and run.stderr.count("Traceback") == 1
    assert list(tmp_path.iterdir()) == []


def test_what_ends_early_ends_the_workers_that_are_still_starting():
    with pytest.raises(KeyboardInterrupt), cluster.Workers(1, None) as team:
        team.start(worker.prepare, False, SMALL)
        raise KeyboardInterrupt
    assert team._cluster.status is Status.closed and not team._folder.exists()


def test_on_a_cluster_of_others_nothing_is_started():
    team = cluster.Workers(1, "tcp://127.0.0.1:9")  # where nobody answers
    team.start(worker.prepare, True, SMALL)
    assert team._client is None


def test_workers_start_while_the_assignment_is_entered_and_only_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A run in which all is as it was may find nothing to grade, and needs no worker then."""
    one_student(tmp_path)
    started = []
    monkeypatch.setattr(cluster.Workers, "start", lambda team, *what: started.append((team._workers, *what)))
    monkeypatch.setattr(class_run, "graded", lambda *_, **settings: [])
    class_run.grade_class(tmp_path, 3, quiet=True)
    assert started == [(1, worker.prepare, True, COURSE)]
    class_run.grade_class(tmp_path, 3, quiet=True)
    assert len(started) == 1
    (tmp_path / "source" / COURSE.name / "data.csv").write_text("1,2\n")
    class_run.grade_class(tmp_path, 3, quiet=True)
    assert len(started) == 2


def test_a_command_starts_the_process_before_it_imports_what_takes_long(tmp_path: Path):
    code = (
        "import sys\n"
        "from grading.classroom import worker_fork_server\n"
        'worker_fork_server.prepare = lambda: sys.exit(f\'{sorted({"nbgrader", "distributed"} & set(sys.modules))}\')\n'
        "from grading.__main__ import main\n"
        "main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "autograde", "--course", str(tmp_path)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stderr == "[]\n"
    elsewhere = subprocess.run([*command, "--scheduler", "x"], cwd=REPOSITORY, capture_output=True, text=True)
    assert "is not a course" in elsewhere.stderr


EARLY = """
import sys
from pathlib import Path
from grading.classroom import class_run, cluster
from grading.sandbox import kept_sandboxes
root = Path(sys.argv[1])
with cluster.Workers(1, None) as team:
    class_run.register(root, "", team)
    (result,) = class_run.graded(root, ["anna"], team=team)
    team.submit("sandboxes", lambda: len(kept_sandboxes.SANDBOXES._pools))
    print([class_run.problem(result)], team.next(600)[1])  # from the same worker: a team that is given isn't ended
"""


def test_a_run_of_one_student_grades_in_the_sandbox_that_was_started_early(tmp_path: Path):
    """If it were another one, two would be loaded, and nobody would see it but for the time."""
    one_student(tmp_path)
    # In a process of its own: here another test may have put a copy of the course where workers look first.
    run = subprocess.run([sys.executable, "-c", EARLY, str(tmp_path)], cwd=REPOSITORY, capture_output=True, text=True)
    assert run.stdout == "[''] 1\n", run.stderr
