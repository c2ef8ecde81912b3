"""A limit on open files or processes that is too low is a line before anything is graded, and no student's fault."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from dev.packages import REPOSITORY
from grading.classroom import cluster
from grading.core import errors, limits, process_limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux")


def run(*command: str, kind: int, pair: tuple[int, int]) -> subprocess.CompletedProcess:
    """A command of Python's in a process with a limit."""

    def lower() -> None:
        resource.setrlimit(kind, pair)

    options = {"cwd": REPOSITORY, "capture_output": True, "text": True, "check": False, "timeout": 120}
    return subprocess.run([sys.executable, *command], preexec_fn=lower, **options)


def few_files(*command: str, soft: int = 64, hard: int = 64) -> subprocess.CompletedProcess:
    return run(*command, kind=resource.RLIMIT_NOFILE, pair=(soft, hard))


@pytest.mark.parametrize(
    ("command", "at_once", "files", "others"),
    [
        (["autograde"], "one submission at a time", 176, "or ask your administrator to raise it"),
        (["mark"], "one submission at a time", 176, "or ask your administrator to raise it"),
        (
            ["watch", "--workers", "2", "--folder", "."],
            "2 submissions at once",
            192,
            "ask your administrator to raise it, or grade fewer at once with --workers",
        ),
    ],
)
def test_where_few_files_may_be_open_a_line_says_how_many_it_takes(
    tmp_path: Path, command: list[str], at_once: str, files: int, others: str
):
    (tmp_path / "nbgrader_config.py").write_text(f"load_subconfig({str(REPOSITORY / 'nbgrader_config.py')!r})")
    ended = few_files("-m", "grading", *command, "--course", str(tmp_path))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"{command[0]}: a process may open 64 files here, and grading {at_once} takes {files}. Nothing is lost: "
        f"raise the limit with `ulimit -n {files}`, {others}, and run this again.\n"
    )


def test_where_the_workers_are_of_a_cluster_the_limit_here_is_no_obstacle(tmp_path: Path):
    ended = few_files("-m", "grading", "autograde", "--scheduler", "tcp://127.0.0.1:9", "--course", str(tmp_path))
    assert ended.returncode == 1 and "is not a course" in ended.stderr


def test_a_limit_that_a_command_may_raise_itself_is_raised_as_far_as_it_takes():
    code = (
        "import resource; from grading.core import process_limits as p; p.suffice(2); "
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    assert few_files("-c", code, soft=64, hard=1000).stdout.split() == ["192", "1000"]
    assert few_files("-c", code, soft=500, hard=1000).stdout.split() == ["500", "1000"]


@pytest.mark.parametrize(("soft", "raised"), [(64, [(192, resource.RLIM_INFINITY)]), (resource.RLIM_INFINITY, [])])
def test_no_limit_is_as_many_as_it_takes(monkeypatch: pytest.MonkeyPatch, soft: int, raised: list[tuple[int, int]]):
    found = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: found.append(pair))
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # nothing is asked about processes
    process_limits.suffice(2)
    assert found == raised


def test_elsewhere_than_on_linux_nothing_is_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)  # which isn't there
    process_limits.suffice(1)


def test_workers_for_which_the_limit_is_too_low_are_not_begun(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cluster.worker_fork_server, "prepare", lambda: pytest.fail("a process is started"))
    monkeypatch.setattr(process_limits, "_raised", lambda _, wanted: min(wanted, 200))
    said = "200 files here, and grading 3 submissions at once takes 208.*--workers"
    with cluster.Workers(3, None) as team, pytest.raises(errors.CourseError, match=said):
        team.submit("sum", sum, [1, 2])


AS_ANYBODY = (
    "import os; os.geteuid = lambda: 1000\n"  # root has no such limit
    "from grading.core import errors, process_limits\n"
    "process_limits._running = lambda: 12\n"
    "try:\n    process_limits.suffice(2)\nexcept errors.CourseError as error:\n    print(error)"
)


def test_where_few_processes_may_run_a_line_says_how_many_it_takes():
    ended = run("-c", AS_ANYBODY, kind=resource.RLIMIT_NPROC, pair=(20, 20))
    more = 2 * (32 + limits.PROCESSES)
    assert ended.stdout == (
        "you may run 20 processes and threads here, 12 are running, and grading 2 submissions at once takes up to "
        f"{more} more. Nothing is lost: raise the limit with `ulimit -u {more + 12}`, ask your administrator to raise "
        "it, or grade fewer at once with --workers, and run this again.\n"
    )
    raised = run("-c", AS_ANYBODY, kind=resource.RLIMIT_NPROC, pair=(20, more + 12))
    assert (raised.returncode, raised.stdout) == (0, "")


def test_root_may_run_as_many_processes_as_it_takes():
    ended = run("-c", AS_ANYBODY.replace("1000", "0"), kind=resource.RLIMIT_NPROC, pair=(20, 20))
    assert (ended.returncode, ended.stdout) == (0, "")


def test_what_a_user_runs_is_counted_with_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for path in ("1/task/1", "1/task/2", "1/task/3", "7/task/7", "sys/task/9", "8"):  # 8 has ended meanwhile
        (tmp_path / path).mkdir(parents=True)
    own = os.getuid()
    assert process_limits._running(tmp_path) == 4
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert process_limits._running(tmp_path) == 0
