"""The process that others are forked from knows none of our limits; environment and Ctrl-C stay as they were."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dev.packages import REPOSITORY
from grading.core import errors, fork_server, limits


def test_the_environment_is_as_it_was_once_the_process_has_started(monkeypatch: pytest.MonkeyPatch):
    for path in ("/somewhere", None):
        monkeypatch.setenv("PYTHONPATH", path) if path else monkeypatch.delenv("PYTHONPATH", raising=False)
        monkeypatch.setenv(f"{limits.PREFIX}CALL_LIMIT_S", "7")
        before = dict(os.environ)
        with fork_server._environment():
            assert not any(name.startswith(limits.PREFIX) for name in os.environ)
            assert os.environ["PYTHONPATH"].split(os.pathsep) == [str(REPOSITORY), *([path] if path else [])]
        assert dict(os.environ) == before


FAILS = """
import os
from grading.core import fork_server

def fail():
    raise OSError("there is no room")

fork_server.fork(fail)
os.wait()  # or the fork would end with this process, before it could say so
"""


def test_a_fork_that_fails_says_why():
    run = subprocess.run([sys.executable, "-c", FAILS], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == "OSError: there is no room"


STOPPED = """
import multiprocessing, os, signal, sys
from multiprocessing import resource_tracker, util
from grading.core import fork_server
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.default_int_handler)
resource_tracker.ensure_running()
start, fork, stop = util.spawnv_passfds, os.fork, getattr(signal, sys.argv[2])

def stopped(*given):
    os.fork = fork
    os.kill(os.getpid(), stop)
    pid = (fork if not given else start)(*given)
    if pid:
        os.kill(os.getpid(), stop)
    return pid

say = "import signal; print(*map(signal.getsignal, (2, 15)), signal.pthread_sigmask(0, ()), flush=True)"
util.spawnv_passfds, os.fork = (stopped, fork) if sys.argv[1] == "begin" else (start, stopped)
try:
    fork_server.begin([]) if sys.argv[1] == "begin" else fork_server.fork(lambda: None)
    print("goes on")
except KeyboardInterrupt:
    exec(say)
forked = multiprocessing.get_context("forkserver").Process(target=exec, args=(say,))
forked.start()
forked.join()
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("way", ["begin", "fork"])
def test_who_is_stopped_while_the_process_starts_is_stopped_and_the_process_is_not(way: str, number: str):
    command = [sys.executable, "-c", STOPPED, way, number]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=100)
    handler = signal.default_int_handler
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())  # by whoever started the tests, for all that they start
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [
        f"{handler} {handler} {blocked}",
        f"{signal.SIG_IGN} {signal.SIG_DFL} {blocked}",
    ]


def test_the_process_is_forked_where_there_is_no_output():
    code = "import sys; sys.stdout = None; from grading.core import fork_server; fork_server.fork(lambda: None)"
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


OUTLIVES = """
import os, sys, time
from grading.core import fork_server
fork_server.begin(["slow"]) if sys.argv[1] == "begin" else fork_server.fork(lambda: __import__("slow"))
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
"""
SLOW = """
import signal, time
from pathlib import Path
signal.signal(signal.SIGTERM, signal.SIG_IGN)
Path(__file__).with_name("begun").touch()
time.sleep(300)
"""


@pytest.mark.parametrize("how", ["begin", "fork"])
def test_what_reads_a_command_s_output_does_not_wait_for_the_process_that_imports_still(tmp_path: Path, how: str):
    (tmp_path / "slow.py").write_text(SLOW)
    options = {"cwd": REPOSITORY, "env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "timeout": 60, "check": True}
    command = [sys.executable, "-c", OUTLIVES, how, str(tmp_path / "begun")]
    subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


ENDED = """
import os, signal
from multiprocessing import forkserver
from grading.core import fork_server
fork_server.begin([])
{}
"""
KILLED = "pid = forkserver._forkserver._forkserver_pid; os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)"


@pytest.mark.parametrize("how", ["forkserver._forkserver._stop()", KILLED])
def test_a_process_that_has_ended_already_is_no_failure_at_the_end(how: str):
    command = [sys.executable, "-c", ENDED.format(how)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("starts", [fork_server.resource_tracker, fork_server.forkserver])
@pytest.mark.parametrize(
    "error", [OSError(11, "Resource temporarily unavailable"), RuntimeError("can't start new thread")]
)
def test_where_no_process_starts_a_line_says_so(monkeypatch: pytest.MonkeyPatch, error: Exception, starts: ModuleType):
    def refused() -> None:
        raise error

    monkeypatch.setattr(starts, "ensure_running", refused)
    spawn = fork_server.util.spawnv_passfds
    reason = getattr(error, "strerror", None) or str(error)
    for start in (lambda: fork_server.begin([]), lambda: fork_server.fork(lambda: None)):
        with pytest.raises(errors.CourseError, match=f"no new process can be started: {reason}. Nothing is lost"):
            start()
    assert fork_server.util.spawnv_passfds is spawn  # the next process starts as any other
