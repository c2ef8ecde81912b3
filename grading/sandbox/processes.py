"""A notebook's processes as Linux shows them in /proc: which there are, their sessions, and their memory.

A process chooses its name, which stands in the files that are read here. Without walls the preloaded process reads
them, of whose memory each later kernel gets a copy: so they are read into one place, which is wiped. This file stands
alone, as all that is within the walls.
"""

import contextlib
import ctypes
import os
import platform
import signal
import socket
import threading
from collections.abc import Callable, Iterator

ROUNDS = 10  # of listing processes that began during a look, before it ends all the same
UNSHARED = ("VmPTE:", "HugetlbPages:")  # page tables, which cost as much as pages that are read but never written
USUAL_SOCKETS = 50  # of a network; an idle kernel has about 10 in its own
FILE_BYTES = 2**16  # of a file of /proc that is read here; the longest has some kilobytes
STATE, DEAD = b"\nState:\t", (b"Z", b"X")  # of threads
KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine(), -1)  # which some systems refuse
FILE, MEMORY, FILES = 0, 1, 2  # what it compares
PROCESS_MRELEASE = 448  # on each machine, since Linux 5.15

libc = ctypes.CDLL(None)


def others(walled: bool) -> list[int]:
    """A notebook's processes: all but the keeper, which is this one, and its parent; without walls descendants."""
    if not walled:
        return descendants()
    ours = (os.getpid(), os.getppid())
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in ours]


def of_each(measured: Callable[[int], float], walled: bool) -> dict[int, float]:
    """`measured` of each process, by its number, those included that begin during the look.

    Otherwise one could fork, hand on all that it has, and end before it is measured. If processes begin faster than
    they are measured, each of the others counts as much as the largest.
    """
    found: dict[int, float] = {}
    for _ in range(ROUNDS):
        pids = others(walled)
        if all(pid in found for pid in pids):
            return {pid: found[pid] for pid in pids}
        found |= {pid: measured(pid) for pid in pids if pid not in found}
    return {pid: found.get(pid, max(found.values())) for pid in others(walled)}


def threads() -> Iterator[tuple[int, str]]:
    """All threads of the sandbox, and those that begin during the look: an open file could be handed on to them."""
    seen, newest = set(), -1
    for _ in range(ROUNDS):
        before, newest = newest, last_pid()
        if newest == before:
            return
        new = {(pid, name) for pid in others(walled=True) for name in _listed(f"/proc/{pid}/task")} - seen
        yield from sorted(new)
        seen |= new


def descendants() -> list[int]:
    """All processes below this one, those above before those below them."""
    parents = {int(name): parent(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    found = [os.getpid()]
    for above in found:  # which grows
        found += [pid for pid, its_parent in parents.items() if its_parent == above]
    return found[1:]


def sweep() -> dict[int, tuple[int, float]]:
    """Without walls: kills every descendant, and gives exit code and CPU seconds of each that was a child."""
    ended = {}
    while True:
        for pid in descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return ended
        ended[pid] = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def take_memory_back(pids: list[int]) -> None:
    """Takes the memory of processes that have been killed, as Linux does where it has none left, from version 5.15 on.

    A read from a notebook's own file heeds no signal. A hundred of them would go on to its end, each into memory that
    is its own by then.
    """
    for pid in pids:
        # It may have gone. Before 6.15 Linux calls that EINVAL, no ProcessLookupError, if a group still has its number.
        with contextlib.suppress(OSError):
            pidfd = os.pidfd_open(pid)
            libc.syscall(PROCESS_MRELEASE, pidfd, 0)
            os.close(pidfd)


def last_pid() -> int:
    """The number that a process or thread of the sandbox was last given: they go up, and begin again at the end."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[-1])


def available_kb() -> int:
    """The memory that the whole machine has left."""
    return lines_of("/proc/meminfo", "MemAvailable:") or 0


def have_the_same(kind: int, thread: int, other: int, fd: int = 0) -> bool:
    """Whether Linux says that two threads have the same file under one number, the same memory or the same files.

    Of threads that have ended it calls that the same which neither has any more.
    """
    return libc.syscall(KCMP, thread, other, kind, fd, fd) == 0


def has_memory_of(pid: int, other: int) -> bool:
    """Whether a process has all the memory of another one, as each that vfork has made at first."""
    return have_the_same(MEMORY, other, pid) and bool(lines_of(f"/proc/{pid}/status", "VmSize:"))


def parent(pid: int) -> int:
    """The process that a process was started by, or that has taken it in; 0 for one that has gone."""
    return lines_of(f"/proc/{pid}/status", "PPid:") or 0


def process_of(thread: int) -> int:
    """The process that a thread belongs to; 0 for one that has gone."""
    return lines_of(f"/proc/{thread}/status", "Tgid:") or 0


def session(pid: int) -> int:
    """The session that a process is in; 0 for one that has gone."""
    try:
        return os.getsid(pid)  # its `stat` tells it, too, but has whoever reads it wait for a process that runs exec
    except ProcessLookupError:
        return 0


def is_ending(pid: int) -> bool:
    """Whether a process has lost its program, or has none yet, but isn't dead: it is giving its memory back."""
    for name in _listed(f"/proc/{pid}/task"):
        thread = f"/proc/{pid}/task/{name}"
        if _is_alive(f"{thread}/status") and not lines_of(f"{thread}/status", "VmExe:"):
            return True
    return False


def _is_alive(path: str) -> bool:
    """Whether a thread is there and not dead, by its status."""
    try:
        with _read(path) as (text, size):
            return text[text.index(STATE, 0, size) + len(STATE) :][:1] not in DEAD
    except (OSError, ValueError):  # the latter where a thread ended while this was read
        return False


def resident_kb(pid: int) -> int:
    """The memory of a process, with all that it shares with others; 0 for one that has gone."""
    return status_kb(pid, "RssAnon:", "RssShmem:", "VmSwap:", *UNSHARED)


def proportional_kb(pid: int) -> int:
    """The memory of a process, of what it shares with others its part."""
    shared = lines_of(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:", "SwapPss:")
    return shared + status_kb(pid, *UNSHARED) if shared else resident_kb(pid)


def unread_kb(pids: list[int]) -> int:
    """What may lie unread in the sockets of a kernel's network, beyond those that every kernel has.

    All its processes tell the same, but one whose first thread has ended only in the files of its other threads.
    """
    for pid in pids:
        for name in _listed(f"/proc/{pid}/task"):
            if (used := lines_of(f"/proc/{pid}/task/{name}/net/sockstat", "sockets:", column=2)) is not None:
                more = used - USUAL_SOCKETS
                return more * socket_kb() if more > 0 else 0
    return 0


def socket_kb() -> int:
    """What may wait unread in one: twice net.core.wmem_default, which new sockets tell, and networks of one's own hide.

    That is 208 KiB, unless whoever runs the machine has set another.
    """
    with socket.socket(socket.AF_UNIX) as one:
        return 2 * one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 1024


def status_kb(pid: int, *names: str) -> int:
    """The sum of some lines of a process's status.

    Once its first thread has ended the others go on, but only their own files tell what memory they have.
    """
    found = lines_of(f"/proc/{pid}/status", *names)
    if found == 0 and lines_of(f"/proc/{pid}/status", "Threads:") != 1:
        tasks = _listed(f"/proc/{pid}/task")
        found = max((lines_of(f"/proc/{pid}/task/{name}/status", *names) or 0 for name in tasks), default=0)
    return found or 0


def _listed(folder: str) -> list[str]:
    """The names in a folder of /proc; none where the process has gone."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def lines_of(path: str, *names: str, column: int = 1) -> int | None:
    """The sum of some lines of a file in /proc; None for a process that has gone or hides.

    A process chooses its name, which stands among these lines and may be any bytes but the end of a line.
    """
    wanted, found, begin = tuple(name.encode() for name in names), 0, 0
    try:
        with _read(path) as (text, size):
            while begin < size:
                end = text.find(b"\n", begin, size) + 1 or size
                if text.startswith(wanted, begin, end):
                    found += int(text[begin:end].split()[column])
                begin = end
    except OSError:
        return None
    return found


def stat(path: str) -> list[bytes]:
    """What such a file tells of a process or thread after its name, which may be any bytes; nothing if it has gone."""
    try:
        with _read(path) as (text, size):
            return text[text.rindex(b")", 0, size) + 1 : size].split()
    except OSError:
        return []


def line_counts(path: str) -> Iterator[int]:
    """How many lines each piece of a text of /proc has; none where the process has gone."""
    with contextlib.suppress(OSError):
        file, buffer = os.open(path, os.O_RDONLY | os.O_CLOEXEC), _own.buffer
        try:
            while size := os.readv(file, [buffer]):
                yield buffer.count(b"\n", 0, size)
        finally:
            os.close(file)
            buffer[:] = bytes(FILE_BYTES)


@contextlib.contextmanager
def _read(path: str) -> Iterator[tuple[bytearray, int]]:
    """A small file of /proc, as the start of one buffer, and how long it is; it is wiped at the end of the block.

    Errors  OSError for a process that has gone or hides.
    """
    file, size, buffer = os.open(path, os.O_RDONLY | os.O_CLOEXEC), 0, _own.buffer
    try:
        with memoryview(buffer) as room:
            while more := os.readv(file, [room[size:]]):
                size += more
        yield buffer, size
    finally:
        os.close(file)
        buffer[:size] = bytes(size)


class _Own(threading.local):
    """What each thread reads into."""

    def __init__(self) -> None:
        self.buffer = bytearray(FILE_BYTES)


_own = _Own()
