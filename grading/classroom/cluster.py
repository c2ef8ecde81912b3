"""Workers that grade at once: those of a cluster on this machine, or of any Dask cluster that exists.

A task is one submission, sent as bytes when a worker is about to be free, so that neither a scheduler nor a lost worker
holds more than a few.
"""

import concurrent.futures
import contextlib
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
from distributed import Client, Future, LocalCluster, Status

from grading.classroom import local_cluster, pickled_call, worker_fork_server
from grading.core import errors, process_limits

FIND_LIMIT_S = 10  # for a scheduler to answer
AHEAD = 16  # tasks that a cluster of others may hold beyond one a worker, so that it sees the need to grow
SILENT_S = 3.0  # a worker of up to ten says twice a second that it is there, one of a thousand every six seconds
LOST_LIMIT_S = 180.0  # for a worker to reach the scheduler; 2 s on a quiet machine
GIVE_UP = 5  # workers that fail to start, for each that is to run
GONE = "the scheduler is gone. Start it, and run this again to go on."


class Workers:
    """Tasks at work on a cluster, and their results in the order in which they are ready.

    With an address these are the workers that are there; without, a number of them on this machine, started at the
    first task, or earlier by `start`, and ended with all they started at the end.
    """

    def __init__(self, workers: int, address: str | None) -> None:
        self._workers, self._address = workers, address
        self._ready: queue.SimpleQueue[tuple[Future, Callable]] = queue.SimpleQueue()  # with what gives its outcome
        self._names: dict[str, str] = {}
        self._shared = ""
        self._at_end = contextlib.ExitStack()
        self._opening: concurrent.futures.Future | None = None  # of this machine's workers, in a thread
        self._client: Client | None = None
        self._cluster: LocalCluster | None = None
        self._folder: Path | None = None
        self._given_up: set[int] = set()  # workers whose nannies have given up since the last result
        self._unknown: dict[int, float] = {}  # since when a worker's process is there and the scheduler doesn't know it

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        if self._opening is not None:
            concurrent.futures.wait([self._opening])
        self._at_end.close()

    @property
    def manned(self) -> bool:
        """Whether there are workers; on a cluster of others they may be still to come."""
        return self._address is None or self._threads() > 0

    @property
    def room(self) -> int:
        """How many more tasks may be submitted now."""
        if self._address is None:
            return self._workers - len(self._names)
        return self._threads() + AHEAD - len(self._names)

    @property
    def folder(self) -> Path | None:
        """A folder that these workers and this process share until the end; None with workers of others."""
        if self._address is None:
            self._opened()
        return self._folder

    @property
    def busy(self) -> bool:
        """Whether any task is at work, or ready."""
        return bool(self._names)

    def start(self, function: Callable, *arguments: object) -> None:
        """Starts the workers of this machine before their first task; each begins with a coroutine function of these.

        Nobody waits for it, and what it raises is nobody's failure. On a cluster of others there is nothing to start.
        Errors  CourseError if no process can be started.
        """
        if self._address is None:
            self._begin(self._open_with, function, *arguments)

    def submit(self, name: str, function: Callable, *arguments: object) -> None:
        """Begins a task; workers of others must find the function where it is here.

        Errors  CourseError if no scheduler answers at the address.
        """
        self._opened()
        if self._address is not None:
            function, arguments = pickled_call.OPEN, (pickled_call.call(function, *arguments),)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # a submission may be large
            future = self._client.submit(function, *arguments, pure=False)
        self._names[future.key] = name
        future.add_done_callback(self._done)

    def share(self, name: str, function: Callable, *arguments: object) -> None:
        """Makes all workers of a cluster of others call a function, once for each name.

        Workers that join later, or were silent, have not called it. One that falls silent only now is waited for until
        Dask gives up.
        Errors  CourseError if no scheduler answers at the address.
        """
        self._opened()
        if name != self._shared:
            try:
                calling = pickled_call.call(function, *arguments)
                self._client.run(pickled_call.OPEN, calling, workers=self._heard(), on_error="ignore")
            except (OSError, TimeoutError):
                raise errors.CourseError(GONE) from None
            self._shared = name

    def next(self, limit_s: float) -> tuple[str, object] | None:
        """A task's name, and its result or the exception it ended with; None if none is ready in time.

        Errors  CourseError if the scheduler is gone.
        """
        try:
            future, outcome = self._ready.get(timeout=limit_s)
        except queue.Empty:
            if self._client.status != "running":
                raise errors.CourseError(GONE) from None
            if self._cluster is not None:
                self._replace_given_up(self._cluster)
                self._end_unknown(self._cluster)
            return None
        if future.cancelled():
            raise errors.CourseError(GONE)
        self._given_up.clear()
        name, found = self._names.pop(future.key), outcome()
        future.release()
        return name, found

    def _done(self, future: Future) -> None:
        """Fetches the outcome of a task that is done at once, in a thread of its own.

        A worker that has vanished with it is waited for until Dask gives it up and the task is done elsewhere, which it
        may never be unless `next` replaces the worker.
        """
        try:
            threading.Thread(target=self._fetch, args=(future,), daemon=True).start()
        except RuntimeError:  # this process may start no more: the thread that calls this one takes its time
            self._fetch(future)

    def _fetch(self, future: Future) -> None:
        fetched: concurrent.futures.Future = concurrent.futures.Future()
        try:
            fetched.set_result(_outcome(future))
        except BaseException as error:  # noqa: BLE001  (raised where the outcome is asked for)
            fetched.set_exception(error)
        self._ready.put((future, fetched.result))

    def _threads(self) -> int:
        """How many workers a cluster of others has; CourseError if its scheduler is gone."""
        try:
            return sum(self._client.nthreads().values()) if self._client is not None else 0
        except (OSError, TimeoutError):
            raise errors.CourseError(GONE) from None

    def _heard(self) -> list[str]:
        """The workers from which the scheduler has heard lately; one that vanished is known until it is given up."""
        seen = {address: info["last_seen"] for address, info in self._client.scheduler_info()["workers"].items()}
        return [address for address, at in seen.items() if at > max(seen.values()) - SILENT_S]

    def _begin(self, opening: Callable, *arguments: object) -> None:
        """Opens the workers of this machine, once, in a thread: Ctrl-C would tear apart what Dask starts.

        Errors  CourseError if so many find no room here.
        """
        if self._opening is None:
            process_limits.suffice(self._workers)
            worker_fork_server.prepare()
            self._opening = ThreadPoolExecutor(1).submit(opening, *arguments)

    def _open_with(self, function: Callable, *arguments: object) -> None:
        self._open()
        self._client.run(function, *arguments, wait=False, on_error="ignore")

    def _opened(self) -> None:
        """Waits until the workers are there; starts them if nobody has."""
        if self._address is None:
            self._begin(self._open)
            self._opening.result()
        elif self._client is None:
            self._open()

    def _open(self) -> None:
        if self._address is not None:
            self._client = self._at_end.enter_context(_found(self._address))
            if not self._threads():
                print(f"The scheduler at {self._address} has no workers yet. Waiting for them.", file=sys.stderr)
        else:
            self._folder, cluster = self._at_end.enter_context(local_cluster.opened(self._workers))
            self._client = self._at_end.enter_context(Client(cluster, direct_to_workers=True, set_as_default=False))
            self._cluster = cluster
            self._at_end.callback(local_cluster.kill, cluster)

    def _replace_given_up(self, cluster: LocalCluster) -> None:
        """Starts others for workers whose nannies have given up.

        A nanny starts another for a worker that has ended, unless that fails, too; then a run would wait for ever.
        Errors  CourseError if worker after worker fails to start.
        """
        given_up = [name for name, nanny in cluster.workers.items() if nanny.status in (Status.closed, Status.failed)]
        self._given_up.update(given_up)
        if len(self._given_up) > GIVE_UP * self._workers:
            raise errors.CourseError(f"{local_cluster.NO_START}: {len(self._given_up)} in a row failed.")
        if given_up:
            cluster.loop.add_callback(cluster.scale_down, given_up)
        elif len(cluster.workers) < self._workers:
            cluster.scale(self._workers)

    def _end_unknown(self, cluster: LocalCluster) -> None:
        """Ends processes of workers that haven't reached the scheduler in time; their nannies start others."""
        known, now = set(cluster.scheduler.workers), time.monotonic()
        pids = {nanny.pid for nanny in cluster.workers.values() if nanny.worker_address not in known} - {None}
        self._unknown = {pid: self._unknown.get(pid, now) for pid in pids}
        for pid, since in self._unknown.items():
            if now - since > LOST_LIMIT_S:
                local_cluster.kill_process(pid)


def _outcome(future: Future) -> object:
    """What a task has returned, or the exception that it ended with."""
    try:
        return future.exception() or future.result()
    except Exception:  # its worker ended with a result that nobody had fetched, and it was redone elsewhere
        if future.status != "error":
            raise
        return future.exception()


def _found(address: str) -> Client:
    try:
        with dask.config.set(local_cluster.NO_HISTORY):
            if address.endswith(".json"):
                return Client(scheduler_file=address, timeout=FIND_LIMIT_S)
            return Client(address, timeout=FIND_LIMIT_S)
    except (OSError, ValueError, TypeError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise errors.CourseError(
            f"no Dask scheduler answers at {address} ({text}). Start it with `dask scheduler`, or omit --scheduler."
        ) from None
