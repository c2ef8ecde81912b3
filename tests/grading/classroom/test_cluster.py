"""The workers of one run: each that ends is replaced, and a result that is lost costs one task."""

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import busy
import dask
import psutil
import pytest
from busy import wait_for
from distributed import Client, KilledWorker, LocalCluster, Status
from traitlets.config import Config

from dev.packages import REPOSITORY
from grading.classroom import cluster, inputs, local_cluster, worker, worker_fork_server
from grading.core import errors, limits
from grading.submission import bundle


class LateFetch:
    """Has results fetched only once `begin` is set; `done` is set as soon as there is one to fetch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done, self.begin, fetch = threading.Event(), threading.Event(), cluster.Workers._fetch

        def late(team: cluster.Workers, future: object) -> None:
            self.done.set()
            assert self.begin.wait(busy.patience(60))
            fetch(team, future)

        monkeypatch.setattr(cluster.Workers, "_fetch", late)


def test_of_tasks_that_are_done_hardly_any_is_held():
    def held() -> int:
        gc.collect()
        found = {id(item): item for each in gc.get_objects() if type(each) is list for item in each}
        return sum(type(item) is bytes and len(item) > 100_000 for item in found.values())

    with cluster.Workers(1, None) as team:
        for number in range(30):
            team.submit(str(number), len, bytes([number]) * 100_000)
            while team.next(1.0) is None:
                pass
        assert held() < 15


def called_by_the_collector() -> list[str]:
    """The modules of what Python's collector calls, but for Hypothesis, which no grader has."""
    return [found.__module__ for found in gc.callbacks if "hypothesis" not in found.__module__]


def seen_while_grading(given: inputs.Inputs) -> tuple[list[str], list[str]]:
    before = called_by_the_collector()
    with contextlib.suppress(worker.OtherProgram):
        worker.grade(given, bundle.Submission("anna", ()), {})
    return before, called_by_the_collector()


def test_the_collector_calls_nobody_in_whom_a_strike_would_be_lost():
    config = Config(Course={"found": "attention.course:COURSE"})
    given = inputs.Inputs(archive=b"", config=config, secret="", program={}, digest="")
    with cluster.Workers(1, None) as team:
        team.submit("anna", seen_while_grading, given)
        while (found := team.next(1.0)) is None:
            pass
        assert found == ("anna", (["distributed.gc"], []))  # Dask's own is there, and then it isn't
        assert called_by_the_collector() == []  # where pages of the class are drawn


def test_a_cluster_that_takes_long_to_close_fails_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_cluster, "END_LIMIT_S", 0)
    with cluster.Workers(1, None) as team:
        team.submit("anna", int, "7")
        while (found := team.next(1.0)) is None:
            pass
    assert found == ("anna", 7)


def test_a_worker_that_ends_before_its_result_is_fetched_loses_this_task_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def end_when_redone(done: Path) -> None:
        if done.exists():
            os.kill(os.getpid(), signal.SIGKILL)
        done.touch()

    late = LateFetch(monkeypatch)
    with cluster.Workers(1, None) as team:
        team.submit("anna", end_when_redone, tmp_path / "done")
        assert late.done.wait(busy.patience(60))
        (nanny,) = team._cluster.workers.values()
        psutil.Process(nanny.pid).kill()
        late.begin.set()
        name, found = wait_for(lambda: team.next(1.0))
        assert name == "anna" and isinstance(found, KilledWorker)
        team.submit("ben", int, "8")
        assert wait_for(lambda: team.next(1.0)) == ("ben", 8)


def test_a_result_comes_from_its_worker_and_not_by_way_of_the_scheduler():
    def gather(**_: object) -> None:
        raise AssertionError("the scheduler was asked for a result")

    with cluster.Workers(1, None) as team:
        team.submit("anna", int, "7")
        team._cluster.scheduler.handlers["gather"] = gather
        assert wait_for(lambda: team.next(1.0)) == ("anna", 7)


def test_a_scheduler_hardly_works_while_its_workers_grade():
    with cluster.Workers(1, None) as team:
        team.submit("anna", time.sleep, 8)
        wait_for(lambda: team._cluster.scheduler.workers)
        (worker,) = team._cluster.scheduler.workers.values()
        first = worker.last_seen
        wait_for(lambda: worker.last_seen > first)  # its first heartbeat; from now on they are rare
        seen = worker.last_seen
        time.sleep(2)
        assert worker.last_seen == seen
        callbacks = team._cluster.scheduler.periodic_callbacks
        assert not any(callbacks[name].is_running() for name in local_cluster.LOOKS)


def test_a_task_that_is_redone_elsewhere_may_end_in_what_any_task_may_end_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def lack_the_inputs_when_redone(done: Path) -> None:
        if done.exists():
            raise inputs.NotKept
        done.touch()

    late = LateFetch(monkeypatch)
    with cluster.Workers(1, None) as team:
        team.submit("anna", lack_the_inputs_when_redone, tmp_path / "done")
        assert late.done.wait(busy.patience(60))
        (nanny,) = team._cluster.workers.values()
        psutil.Process(nanny.pid).kill()
        late.begin.set()
        name, found = wait_for(lambda: team.next(1.0))
        assert name == "anna" and isinstance(found, inputs.NotKept)


def test_a_result_is_fetched_though_no_thread_can_be_started_for_it(monkeypatch: pytest.MonkeyPatch):
    class Refused(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with cluster.Workers(1, None) as team:
        team.submit("anna", int, "7")
        assert wait_for(lambda: team.next(1.0)) == ("anna", 7)
        monkeypatch.setattr(cluster, "threading", SimpleNamespace(Thread=Refused))
        team.submit("ben", int, "8")
        assert wait_for(lambda: team.next(1.0)) == ("ben", 8)


def test_a_result_that_vanishes_with_the_only_worker_is_computed_again_by_another(monkeypatch: pytest.MonkeyPatch):
    late = LateFetch(monkeypatch)
    with cluster.Workers(1, None) as team:
        team.submit("anna", int, "7")
        assert late.done.wait(busy.patience(60))
        (nanny,) = team._cluster.workers.values()
        team._cluster.sync(nanny.close)
        wait_for(lambda: nanny.status is Status.closed)
        late.begin.set()
        assert wait_for(lambda: team.next(1.0)) == ("anna", 7)


@pytest.mark.parametrize("given_up", ["by its nanny", "by the cluster, as slow to come back"])
def test_a_worker_that_dask_gives_up_is_replaced(given_up: str, monkeypatch: pytest.MonkeyPatch):
    if "slow" in given_up:
        monkeypatch.setitem(local_cluster.SETTINGS, "distributed.deploy.lost-worker-timeout", "10 ms")
    with cluster.Workers(1, None) as team:
        team.submit("anna", int, "7")
        assert wait_for(lambda: team.next(1.0)) == ("anna", 7)
        (nanny,) = team._cluster.workers.values()
        if "slow" in given_up:
            psutil.Process(nanny.pid).kill()
        else:
            team._cluster.sync(nanny.close)
        wait_for(lambda: nanny.status is Status.closed)
        team.submit("ben", int, "8")
        assert wait_for(lambda: team.next(1.0)) == ("ben", 8)


def test_workers_that_all_fail_to_start_end_the_run():
    ended = {name: SimpleNamespace(pid=None, worker_address=None, status=Status.closed) for name in range(6)}
    team = cluster.Workers(1, None)
    team._client = SimpleNamespace(status="running")
    team._cluster = SimpleNamespace(workers=ended, scheduler=SimpleNamespace(workers={}))
    with pytest.raises(errors.CourseError, match="do not start: 6 in a row failed"):
        team.next(0.01)


@pytest.mark.parametrize("error", [OSError("there is no room"), RuntimeError("can't start new thread")])
def test_a_cluster_that_cannot_start_is_a_line(monkeypatch: pytest.MonkeyPatch, error: Exception):
    def refused(**_: object) -> None:
        raise error

    monkeypatch.setattr(local_cluster, "LocalCluster", refused)
    with pytest.raises(errors.CourseError, match=f"^the workers do not start: {error}$"), local_cluster.opened(1):
        pytest.fail("the workers are there")


def test_no_other_account_may_open_a_file_and_lock_it_so_that_no_worker_starts_any_more():
    def open_to_others(folder: Path) -> list[Path]:
        entries = [path for path in folder.iterdir() if not path.is_symlink()] if folder.stat().st_mode & 0o1 else []
        found = [path for path in entries if path.is_file() and path.stat().st_mode & 0o6]
        return found + [each for path in entries if path.is_dir() for each in open_to_others(path)]

    with local_cluster.opened(1) as (shared, _):
        assert shared.parent.stat().st_mode & 0o7 == 1 and open_to_others(shared.parent) == []


def test_no_port_of_a_run_keeps_a_connection_that_another_account_opens():
    if os.geteuid() != 0:
        pytest.skip("only root may become another account")

    def kept(port: int) -> bool:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            try:
                return connection.recv(1) != b""
            except TimeoutError:
                return True

    worker_fork_server.prepare()
    with local_cluster.opened(1) as (_, of_dask):
        nanny = next(iter(of_dask.workers.values()))
        found = [each for pid in (os.getpid(), nanny.pid) for each in psutil.Process(pid).net_connections()]
        ports = {each.laddr.port for each in found if each.status == "LISTEN"}
        known = [int(address.rpartition(":")[2]) for address in (of_dask.scheduler_address, nanny.worker_address)]
        assert {*known} <= ports and kept(known[0])
        if (pid := os.fork()) == 0:
            os.setuid(12345)
            os._exit(sum(map(kept, ports)))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_no_worker_is_started_in_place_of_one_that_the_end_has_killed():
    worker_fork_server.prepare()
    with local_cluster.opened(1) as (_, of_dask):
        (nanny,) = of_dask.workers.values()
        local_cluster.kill(of_dask)
        wait_for(lambda: nanny.status is Status.closed)
        assert nanny.pid is None


def test_a_worker_that_never_reaches_the_scheduler_is_replaced(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cluster, "LOST_LIMIT_S", 0.2)
    with contextlib.ExitStack() as stack:
        sleeps = [stack.enter_context(subprocess.Popen(["sleep", "60"])) for _ in range(2)]
        for process in sleeps:
            stack.callback(process.kill)
        lost, known = (SimpleNamespace(pid=p.pid, worker_address=str(p.pid), status=Status.running) for p in sleeps)
        of_dask = SimpleNamespace(
            scheduler=SimpleNamespace(workers={known.worker_address: None}),
            workers={0: lost, 1: known, 2: SimpleNamespace(pid=None, worker_address=None, status=Status.starting)},
        )
        team = cluster.Workers(2, None)
        team._client, team._cluster = SimpleNamespace(status="running"), of_dask
        assert team.next(0.01) is None and sleeps[0].poll() is None
        time.sleep(0.3)
        assert team.next(0.01) is None
        assert sleeps[0].wait(120) == -signal.SIGKILL and sleeps[1].poll() is None


def test_a_worker_has_the_limits_of_its_run_and_not_those_of_an_earlier_one(monkeypatch: pytest.MonkeyPatch):
    name = f"{limits.PREFIX}CALL_LIMIT_S"
    found = []
    for value in ("7", "8", None):
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
        with cluster.Workers(1, None) as team:
            team.submit("asked", os.getenv, name)
            found.append(team.next(busy.patience(60)))
    assert found == [("asked", "7"), ("asked", "8"), ("asked", None)]


def test_workers_start_where_the_temporary_folder_has_a_long_name(tmp_path: Path):
    long = tmp_path / ("long" * 20)
    long.mkdir()
    code = (
        "from grading.classroom import cluster\n"
        "with cluster.Workers(1, None) as team:\n"
        "    team.submit('sum', sum, [1, 2])\n"
        "    print(team.next(600))"
    )
    command, env = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(long)}
    done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("('sum', 3)\n", "")


def test_what_is_shared_on_a_cluster_does_not_wait_for_a_worker_that_is_silent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cluster, "SILENT_S", 2.0)
    settings = {"dashboard_address": "127.0.0.1:0", "memory_limit": 0, "host": "127.0.0.1"}
    with dask.config.set(local_cluster.SETTINGS), LocalCluster(n_workers=2, threads_per_worker=1, **settings) as own:
        silent, heard = own.workers.values()
        with Client(own) as client, cluster.Workers(2, own.scheduler_address) as team:
            team.share("before", inputs.keep, "before", b"")
            stopped = psutil.Process(silent.pid)
            stopped.suspend()
            try:
                time.sleep(3 * cluster.SILENT_S)
                sharing = threading.Thread(
                    target=team.share, args=("name", inputs.keep, "name", b"shared"), daemon=True
                )
                sharing.start()
                sharing.join(20)  # it takes 0.1 s; Dask waits 30 s for a worker to answer
                assert not sharing.is_alive()
                kept = client.run(lambda: inputs._kept, workers=[heard.worker_address])
                assert kept == {heard.worker_address: {"name": b"shared"}}
            finally:
                stopped.resume()


def test_a_result_that_a_vanished_machine_holds_keeps_no_other_from_being_merged():
    class Done(SimpleNamespace):
        """A task that is done, as Dask has it; whoever wants its result waits for `there`."""

        def add_done_callback(self, call: Callable) -> None:
            call(self)

        def result(self) -> str:
            self.there.wait()
            return self.key

    about = {"status": "finished", "exception": lambda: None, "cancelled": lambda: False, "release": lambda: None}
    held, there = threading.Event(), threading.Event()
    there.set()
    waiting = [Done(key="anna", there=held, **about), Done(key="ben", there=there, **about)]
    team = cluster.Workers(1, "tcp://a.cluster")
    team._client = SimpleNamespace(submit=lambda *_, **__: waiting.pop(0))
    for name in ("anna", "ben"):
        team.submit(name, int, "7")
    try:
        assert team.next(20.0) == ("ben", "ben")
    finally:
        held.set()
    assert team.next(20.0) == ("anna", "anna")
