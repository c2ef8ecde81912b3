"""Control groups of Linux around the sandboxes, where the system has delegated a group to the grader.

    the delegated group
        grading/        the grader's own processes, as Linux wants none in a group that hands controllers down
        grading-1f0c/   a sandbox: its share of the processors, and how many processes it may have
            zygote/     the preloaded process
            notebook/   the notebook that runs, with all the memory that Linux charges to it

Usually the zygote's watch over a notebook's memory strikes first. The group is the wall behind it, for what Linux
charges to no process: pipes, sockets, page tables, mappings, timers. Where nothing is delegated, nothing is done and
nothing is said.
"""

import contextlib
import errno
import fcntl
import functools
import logging
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from grading.core import messages
from grading.sandbox import delegation, machine
from grading.sandbox.sandbox_limits import Limits

LOG = logging.getLogger(__name__)
SANDBOX = "grading-"  # begins the name of a sandbox's group
OURS = re.compile(rf"{SANDBOX}[0-9a-f]{{16}}")
GRADER_WEIGHT, SANDBOX_WEIGHT = 10_000, 100  # for cpu.weight: the grader mostly waits, and sandboxes share alike
ROOM_BYTES = 512 * 2**20  # for what the watch does not count, and of which an honest notebook has a little
HELPERS = 64  # processes and threads of a sandbox that are not the notebook's
REMOVE_LIMIT_S = 5.0
TRIES = 20  # a process that we move may start another one meanwhile
LOCK_LIMIT_S = 30.0  # for another grader to be done with the group
ENTER = 'echo $$ >"$1" && shift && exec "$@"'


class Group:
    """A sandbox's group, or none: then nothing is bounded, and `enter` only closes its descriptor."""

    def __init__(self, folder: Path | None = None, granted: Limits | None = None, lock: int | None = None) -> None:
        self._folder, self._granted, self._lock = folder, granted, lock
        self._bounded = False  # whether the notebook that runs is in its group

    def inside(self, argv: list[str]) -> list[str]:
        """The command that runs `argv` as the preloaded process."""
        if self._folder is None:
            return argv
        return ["sh", "-c", ENTER, "group", str(self._folder / "zygote" / "cgroup.procs"), *argv]

    def enter(self, pidfd: int) -> None:
        """Bounds a notebook that has not begun: its process, and with it all that it will start. Closes `pidfd`.

        Where Linux refuses, the notebook has the other limits, as on a machine without groups.
        """
        try:
            if self._folder is not None:
                self._bound(pidfd)
        except (OSError, ValueError) as error:
            LOG.warning(messages.NO_GROUP, error)
        finally:
            os.close(pidfd)

    def _bound(self, pidfd: int) -> None:
        granted, folder = self._granted, self._folder / "notebook"
        folder.mkdir()
        most = granted.memory_bytes + granted.scratch_bytes + granted.shared_bytes + ROOM_BYTES
        _set(folder, {"memory.max": most, "memory.swap.max": 0, "memory.oom.group": 1, "pids.max": granted.processes})
        lines = machine.text(delegation.PROC / "fdinfo" / str(pidfd)).splitlines()
        (pid,) = (int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        if pid > 0:  # else it has gone
            _move(pid, folder)
        self._bounded = True

    def leave(self) -> bool:
        """Ends what is left of a notebook; whether its group's own limit on memory has ended it."""
        if self._folder is None:
            return False
        bounded, self._bounded = self._bounded, False
        lines = machine.text(self._folder / "notebook" / "memory.events").splitlines()
        events = {name: int(count) for name, count in map(str.split, lines)}
        _remove(self._folder / "notebook")
        # If the whole machine runs out of memory, only oom_kill rises, and the notebook is not at fault.
        return bounded and events.get("oom", 0) > 0 and events.get("oom_kill", 0) > 0

    def close(self) -> None:
        """Ends all that is left of a sandbox."""
        folder, self._folder = self._folder, None
        if folder is not None:
            _remove(folder)
            os.close(self._lock)


def around(granted: Limits) -> Group:
    """A new group for one sandbox; none where nothing is delegated, or Linux refuses it, which the log then says."""
    try:
        if (home := _home()) is not None:
            return _sandbox(home, granted)
    except (OSError, ValueError, LookupError) as error:  # also where files of /proc are not as they should be
        LOG.warning(messages.NO_GROUP, error)
    return Group()


@functools.cache
def _home() -> Path | None:
    """The delegated group, divided, and without the sandboxes' groups that earlier runs left in it."""
    group = delegation.delegated()
    if group is not None:
        with _alone(group):
            _divide(group)
            for left in group.glob(f"{SANDBOX}*"):
                if OURS.fullmatch(left.name):  # nobody else's
                    _remove_unused(left)
    return group


def _divide(group: Path) -> None:
    """Moves all processes of a group into one below it, and hands its controllers down."""
    if delegation.is_machines_root(group):
        return _hand_down(group)
    own = group / delegation.OWN
    own.mkdir(exist_ok=True)
    for _ in range(TRIES):
        for pid in machine.text(group / "cgroup.procs").split():
            _move(int(pid), own)
        try:
            _hand_down(group)
            return _set(own, {"cpu.weight": GRADER_WEIGHT})
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
    raise OSError(errno.EBUSY, "processes stay in the group", str(group))


def _sandbox(home: Path, granted: Limits) -> Group:
    folder = home / f"{SANDBOX}{secrets.token_hex(8)}"
    with _alone(home):
        folder.mkdir()
        lock = os.open(folder, os.O_RDONLY)  # closed when this process ends, however it does
        fcntl.flock(lock, fcntl.LOCK_EX)
    group = Group(folder, granted, lock)
    try:
        _set(folder, {"cpu.weight": SANDBOX_WEIGHT, "pids.max": granted.processes + HELPERS})
        _hand_down(folder)
        (folder / "zygote").mkdir()
    except OSError:
        group.close()
        raise
    return group


def _hand_down(group: Path) -> None:
    (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in delegation.controllers(group)))


def _set(group: Path, values: dict[str, int]) -> None:
    """Writes each value whose file the group has: a controller that it lacks has none."""
    for name, value in values.items():
        if (group / name).exists():
            (group / name).write_text(str(value))


def _move(pid: int, group: Path) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has gone
        (group / "cgroup.procs").write_text(str(pid))


def _remove_unused(group: Path) -> None:
    """Removes a sandbox's group whose grader has gone."""
    with (
        contextlib.suppress(FileNotFoundError, BlockingIOError),  # its grader has just removed it, or is at work
        _alone(group, fcntl.LOCK_EX | fcntl.LOCK_NB),
    ):
        _remove(group)


def _remove(group: Path) -> None:
    """Kills all processes in a group where Linux can, and removes it; what resists is left to the next run."""
    _set(group, {"cgroup.kill": 1})  # Linux 5.14 and newer
    end = time.monotonic() + REMOVE_LIMIT_S
    for each in (*(entry for entry in group.glob("*") if entry.is_dir()), group):
        while each.exists():
            try:
                each.rmdir()
            except OSError:  # what is killed takes a moment to go
                if time.monotonic() > end:
                    return
                time.sleep(0.001)


@contextlib.contextmanager
def _alone(group: Path, how: int = fcntl.LOCK_EX) -> Iterator[None]:
    """Locks the group against other graders, who wait for milliseconds, or seconds where a group resists.

    Errors  OSError if it stays locked.
    """
    lock, end = os.open(group, os.O_RDONLY), time.monotonic() + LOCK_LIMIT_S
    try:
        while True:
            try:
                fcntl.flock(lock, how | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if how & fcntl.LOCK_NB or time.monotonic() > end:
                    raise
                time.sleep(0.01)
        yield
    finally:
        os.close(lock)
