"""Control groups of Linux around the sandboxes, where the system has delegated a group to the grader.

    the delegated group
        grading/        the grader's own processes, for Linux allows none in a group that hands controllers down
        grading-1f0c/   a sandbox: its share of the processors, and how many processes it may have
            zygote/     the preloaded process and the keeper
            notebook/   the notebook that runs, with all the memory that Linux charges to it

With the older kind of groups, each controller has a tree of its own, the sandbox has a group in each, and the grader
stays where it is. Usually the keeper's watch over a notebook's memory notices first. The group is a second wall, for
what Linux charges to no process: pipes, sockets, page tables, mappings, timers. Where this process may make no groups,
nothing is done and nothing is reported.
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

from grading.core import limit_messages
from grading.sandbox import delegation, machine
from grading.sandbox.sandbox_limits import Limits

LOG = logging.getLogger(__name__)
SANDBOX = "grading-"  # begins the name of a sandbox's group
OURS = re.compile(rf"{SANDBOX}[0-9a-f]{{16}}")
GRADER_WEIGHT = 10_000  # for cpu.weight: the grader mostly waits, and sandboxes share alike
# What Linux gives a new group, and a process of the usual priority that is in none; by the name in either kind.
USUAL_SHARES = {"cpu.weight": 100, "cpu.shares": 1024}
STEP = 1.25  # by which a process has a smaller share for each number of its niceness (sched_prio_to_weight)
EVENTS = ("memory.events", "memory.oom_control")  # of the newer and the older kind
MOST_USED = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")  # of the older kind
NEAR_BYTES = 4 * 2**20  # so far from its limit a group may be that could not have a huge page
ROOM_BYTES = 512 * 2**20  # for what the watch does not count, and of which an honest notebook has a little
HELPERS = 64  # processes and threads of a sandbox that are not the notebook's
REMOVE_LIMIT_S = 5.0
TRIES = 20  # a process that we move may start another one meanwhile
LOCK_LIMIT_S = 30.0  # for another grader to be done with the group
ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit; shift; done; shift; exec "$@"'


class Group:
    """A sandbox's groups, or none: then nothing is bounded, and `enter` only closes its descriptor."""

    def __init__(self, granted: Limits | None = None) -> None:
        self._granted, self._folders, self._locks = granted, [], []
        self._bounded = False  # whether the notebook that runs is in its groups

    def add(self, folder: Path) -> None:
        """Makes one of the groups; it is this process's until the process ends, in whatever way."""
        folder.mkdir()
        self._folders.append(folder)
        self._locks.append(os.open(folder, os.O_RDONLY))
        fcntl.flock(self._locks[-1], fcntl.LOCK_EX)
        _set(folder, {**_shares(), "pids.max": self._granted.processes + HELPERS})
        _hand_down(folder)
        (folder / "zygote").mkdir()

    def inside(self, argv: list[str]) -> list[str]:
        """The command that runs `argv` as the preloaded process."""
        if not self._folders:
            return argv
        return ["sh", "-c", ENTER, "group", *(f"{each}/zygote/cgroup.procs" for each in self._folders), "--", *argv]

    def enter(self, pidfd: int) -> None:
        """Puts a notebook that has not begun into its groups, with all that it will start. Closes `pidfd`.

        Where Linux refuses, the notebook keeps the other limits, as on a machine without groups.
        """
        try:
            if self._folders:
                self._bound(pidfd)
        except (OSError, ValueError) as error:
            LOG.warning(limit_messages.NO_GROUP, error)
        finally:
            os.close(pidfd)

    def _bound(self, pidfd: int) -> None:
        most = _most_bytes(self._granted)
        memory = {"memory.max": most, "memory.swap.max": 0, "memory.oom.group": 1}
        memory |= {"memory.limit_in_bytes": most, "memory.memsw.limit_in_bytes": most}  # the older kind's
        lines = machine.text(delegation.PROC / "fdinfo" / str(pidfd)).splitlines()
        (pid,) = (int(line.split()[1]) for line in lines if line.startswith("Pid:"))
        for folder in self._folders:
            (folder / "notebook").mkdir()
            _set(folder / "notebook", {**memory, "pids.max": self._granted.processes})
            if pid > 0:  # else it has gone
                _move(pid, folder / "notebook")
        self._bounded = True

    def leave(self) -> bool:
        """Ends what is left of a notebook; returns whether its group's own limit on memory ended any process of it."""
        bounded, self._bounded = self._bounded, False
        events: dict[str, int] = {}
        for folder in self._folders:
            told = {name: machine.text(folder / "notebook" / name) for name in (*EVENTS, *MOST_USED)}
            lines = [line.split() for name in EVENTS for line in told[name].splitlines()]
            events |= {name: int(count) for name, count in lines}
            if any(int(told[name] or 0) > _most_bytes(self._granted) - NEAR_BYTES for name in MOST_USED):
                events["oom"] = 1
            _remove(folder / "notebook")
        # If the whole machine runs out of memory, only oom_kill rises, and the notebook is not at fault.
        return bounded and events.get("oom", 0) > 0 and events.get("oom_kill", 0) > 0

    def close(self) -> None:
        """Ends all that is left of a sandbox."""
        while self._folders:
            _remove(self._folders.pop())
        while self._locks:
            os.close(self._locks.pop())


def _shares() -> dict[str, int]:
    """A sandbox's share of the processors: that of a process of this one's priority.

    A group's share knows nothing of the priority of those in it. Started by `nice`, a grader that is in no group of its
    own had a seventieth of what each notebook has, and stood still for as long as one computed.
    """
    factor = STEP ** -os.getpriority(os.PRIO_PROCESS, 0)
    return {name: max(2, round(usual * factor)) for name, usual in USUAL_SHARES.items()}  # Linux takes no fewer shares


def _most_bytes(granted: Limits) -> int:
    """What Linux may charge to a notebook."""
    return granted.memory_bytes + granted.scratch_bytes + granted.shared_bytes + ROOM_BYTES


def around(granted: Limits) -> Group:
    """New groups for one sandbox; none where this process may make none, or Linux refuses, which the log then says."""
    try:
        return _sandbox(_homes(), granted)
    except (OSError, ValueError, LookupError) as error:  # also where files of /proc are not as they should be
        LOG.warning(limit_messages.NO_GROUP, error)
    return Group()


@functools.cache
def _homes() -> list[Path]:
    """The groups in which we may make others, ready for that, and cleared of the sandboxes that earlier runs left."""
    homes = delegation.groups()
    for group in homes:
        with _alone(group):
            _divide(group)
            for left in group.glob(f"{SANDBOX}*"):
                if OURS.fullmatch(left.name):  # nobody else's
                    _remove_unused(left)
    return homes


def _divide(group: Path) -> None:
    """Moves all processes of a group into one below it and hands its controllers down; at a root, moves none."""
    if delegation.is_machines_root(group):  # as all of the older kind are
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


def _sandbox(homes: list[Path], granted: Limits) -> Group:
    name, group = f"{SANDBOX}{secrets.token_hex(8)}", Group(granted)
    try:
        for home in homes:
            with _alone(home):
                group.add(home / name)
    except OSError:
        group.close()
        raise
    return group


def _hand_down(group: Path) -> None:
    control = group / "cgroup.subtree_control"
    if control.exists():  # else it is of the older kind, or has no controllers
        control.write_text(" ".join(f"+{name}" for name in delegation.controllers(group)))


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
    with contextlib.suppress(OSError):  # it holds others, which are looked for among dozens of files, or processes
        return group.rmdir()
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
