"""A limit on open files or processes that is too low is a line before anything is graded, and no student's fault."""

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


@pytest.mark.parametrize("command", [["autograde"], ["mark"], ["watch", "--workers", "1", "--folder", "."]])
def test_where_few_files_may_be_open_a_line_says_how_many_it_takes(tmp_path: Path, command: list[str]):
    (tmp_path / "nbgrader_config.py").write_text(f"load_subconfig({str(REPOSITORY / 'nbgrader_config.py')!r})")
    ended = few_files("-m", "grading", *command, "--course", str(tmp_path))
    said = f"{command[0]}: a process may open 64 files here, and grading one submission at a time takes 176. "
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith(f"{said}Nothing is graded or lost: raise the limit, with `ulimit -n 176`")


def test_a_limit_that_a_command_may_raise_itself_is_raised_as_far_as_it_takes():
    code = (
        "import resource; from grading.core import process_limits as p; p.suffice(2); "
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    assert few_files("-c", code, soft=64, hard=1000).stdout.split() == ["192", "1000"]
    assert few_files("-c", code, soft=500, hard=1000).stdout.split() == ["500", "1000"]


def test_workers_for_which_the_limit_is_too_low_are_not_begun(monkeypatch: pytest.MonkeyPatch):
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
        f"{more} more. Nothing is graded or lost: raise the limit to {more + 12}, with `ulimit -u {more + 12}` or as "
        "your administrator, or grade fewer at once with --workers, and run this again.\n"
    )
    assert run("-c", AS_ANYBODY, kind=resource.RLIMIT_NPROC, pair=(20, more + 12)).stdout == ""


def test_who_runs_what_is_counted_with_all_threads(tmp_path: Path):
    for path in ("1/task/1", "1/task/2", "7/task/7", "sys/task/9", "8"):  # 8 has ended meanwhile
        (tmp_path / path).mkdir(parents=True)
    assert process_limits._running(tmp_path) == 3
