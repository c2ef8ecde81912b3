"""A Dask cluster of processes on this machine: started, and ended with all that they started."""

import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import dask
import psutil
from distributed import LocalCluster, Status
from distributed.comm import CommClosedError
from distributed.gc import disable_gc_diagnosis
from distributed.security import Security

from grading.classroom import own_connections
from grading.core import errors, fork_server

END_LIMIT_S = 3  # for the cluster's own way to end, once its workers are gone
NO_START = "the workers do not start"
NO_HISTORY = {"distributed.admin.low-level-log-length": 5}  # messages that stay in memory once sent; else 1000
SETTINGS = {
    **NO_HISTORY,
    "distributed.scheduler.allowed-failures": 0,  # a task whose worker ends comes back, and is set aside
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.work-stealing": False,  # a worker has one task
    "distributed.worker.preload": [own_connections.__name__],  # by which other accounts are kept out
    "distributed.worker.profile.enabled": False,
    "distributed.worker.use-file-locking": False,  # any account could hold such a lock, and no worker would start
    "distributed.deploy.lost-worker-timeout": "1000 days",  # or a worker that restarts slowly is given up: see cluster
    "distributed.scheduler.active-memory-manager.start": False,  # no result lies on two workers
    "distributed.admin.tick.interval": "1 minute",  # by default all look at their clocks 50 times a second
    "distributed.admin.tick.cycle": "1 minute",
    "distributed.admin.system-monitor.interval": "10 s",
}
logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what the user needs to know is said here
HEARTBEAT_S = 30  # between two of a worker; half a second by default. One that ends is noticed by its connection
LOOKS = ("idle-timeout", "no-workers-timeout")  # both are never
NO_PAGES = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # and no port that another one may have


@contextlib.contextmanager
def opened(workers: int) -> Iterator[tuple[Path, LocalCluster]]:
    """A cluster on this machine and a folder to share; at the end its workers are killed, and their files removed.

    It can be opened in a thread, once `worker_fork_server.prepare` has been called.
    """
    folder = Path(tempfile.mkdtemp(prefix="class-"))
    folder.chmod(0o711)  # student code runs as another user, who must get through
    shared = folder / "shared"
    shared.mkdir(mode=0o700)
    changing = {"temporary-directory": str(folder), "distributed.worker.multiprocessing-method": fork_server.method()}
    try:
        with dask.config.set({**SETTINGS, **changing}):
            cluster = _started(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                host="tls://127.0.0.1",
                security=Security.temporary(),  # whoever reaches a scheduler runs what they like
                silence_logs=logging.CRITICAL,  # of the workers
                scheduler_kwargs=NO_PAGES,
                scheduler_sync_interval="1 minute",  # for what is shown of the cluster, which nobody looks at
                local_directory=str(folder),
                env={**os.environ, "TMPDIR": str(folder)},
            )
            _calm(cluster)
            try:
                yield shared, cluster
            finally:
                kill(cluster)
                # On a busy machine, or because a worker that closes takes the connection along; all are dead already.
                with contextlib.suppress(TimeoutError, CommClosedError):
                    cluster.close(END_LIMIT_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started(**settings: object) -> LocalCluster:
    try:
        return LocalCluster(**settings)
    except (OSError, RuntimeError) as error:
        raise errors.CourseError(f"{NO_START}: {error}") from error


def _calm(cluster: LocalCluster) -> None:
    """Makes workers report seldom, and the scheduler stop looking eight times a second whether anybody uses it.

    Nor does Python's collector call it: a strike of `marking.budget` over a page that comes meanwhile would be lost.
    """
    disable_gc_diagnosis(force=True)
    handlers = cluster.scheduler.handlers
    answer = handlers["heartbeat_worker"]

    def heartbeat(**said: object) -> dict[str, object]:
        return {**answer(**said), "heartbeat-interval": HEARTBEAT_S}

    handlers["heartbeat_worker"] = heartbeat
    for name, callback in cluster.scheduler.periodic_callbacks.items():
        if name in LOOKS:
            cluster.loop.add_callback(callback.stop)


def kill(cluster: LocalCluster) -> None:
    """Ends the workers at once; their sandboxes end with them."""
    for nanny in cluster.workers.values():
        if nanny.status is Status.running:
            nanny.close_gracefully()  # or it would start another worker
        pid = nanny.pid  # once, because another thread clears it
        if pid is not None:  # for psutil no number means this process
            kill_process(pid)


def kill_process(pid: int) -> None:
    """Ends a process, if it is still there."""
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).kill()
