"""The watch that the preloaded process keeps over a notebook's processes: their memory, sessions and number.

A process chooses its name, which stands in the files that are read here, and of this process's memory each later kernel
gets a copy: so they are read into one place, which is wiped. This file stands alone, as all that is within the walls.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType

ROUNDS = 10  # of listing processes that began during a look, before it ends all the same
UNSHARED = ("VmPTE:", "HugetlbPages:")  # page tables, which cost as much as pages that are read but never written
USUAL_SOCKETS = 50  # of a network; an idle kernel has about 10 in its own
USUAL_PAUSE_S, LEAST_PAUSE_S = 0.5, 0.02  # between two looks
GROWS_KB_S = 4 * 2**20  # as fast as processes take memory: one took 1 to 3 GiB/s, several together little more
LOOKS_SHARE = 0.1  # of the time, that the looks may take
FILE_BYTES = 2**16  # of a file of /proc that is read here; the longest has some kilobytes
SOCKET_KB = 416  # what may wait unread in one: twice net.core.wmem_default, as Linux has it unless told otherwise
# Linux's notes on a mapping: one of 232 bytes, and for each process that it came through by fork some 160 more.
MAPPING_BYTES, INHERITED_BYTES = 256, 160
DEAD = (b"Z", b"X")  # states of threads
ENDING_LOOKS = 4  # in a row that must see that something ends: usually it takes less than the time between two
USUAL_NOTES_KB = 64 * 2**10  # by which the whole machine's notes may grow meanwhile before mappings are counted
COUNTING_S = 0.2  # of computing, that one count of them may take: 400,000 usual ones


class Watch:
    """Looks at a notebook's processes, and says when next: the sooner, the less memory is left for it to run ahead."""

    def __init__(self, granted: dict, count_started: Callable[[], int], walled: bool, files: ModuleType) -> None:
        self._granted, self._count_started, self._walled = granted, count_started, walled
        self._files, self.pause_s = files.OpenFiles(granted, _threads, lines_of, _stat), LEAST_PAUSE_S
        self._largest_kb = 0  # the memory of the largest process that was seen
        self._before_kb: dict[int, int] = {}  # of each process, at the last look; of one that ends, before
        self._ending_kb = [0] * ENDING_LOOKS  # what those that ended had that were not gone, at the last looks
        self._notes_kb = float("inf")  # the least that Linux had of its own at any look

    def exceeded(self) -> str | None:
        """The limit that all processes of a notebook together exceed, or None."""
        began = time.monotonic()
        limit_kb, each_kb = self._granted["memory_bytes"] / 1024, self._of_each(_resident_kb)
        self._largest_kb = max(self._largest_kb, *each_kb.values(), 0)
        used_kb = self._unseen_kb(each_kb) if self._walled else 0
        # Forks share pages. Count every page of each, and only if that is too much each page once, which takes longer.
        resident_kb = used_kb + sum(each_kb.values())
        if resident_kb > limit_kb:
            resident_kb = used_kb + self._shared_kb(each_kb, limit_kb)
        ended = time.monotonic()
        left_s = (limit_kb - resident_kb) / GROWS_KB_S
        # Soon before any cell may hide its files, and while some may hold what a process had that ends meanwhile.
        is_plain = not self._walled or (self._files.none and not self._ending_kb[-1])
        soon_s = left_s if is_plain else LEAST_PAUSE_S
        self.pause_s = min(USUAL_PAUSE_S, max(LEAST_PAUSE_S, soon_s, (ended - began) / LOOKS_SHARE))
        if resident_kb > limit_kb:
            return "memory"
        if self._walled and len({*map(session, each_kb)} - {0}) > self._granted["sessions"]:
            return "sessions"
        if self._walled and self._count_started() > self._granted["started"]:
            return "processes started"
        return None

    def _shared_kb(self, before_kb: dict[int, int], limit_kb: float) -> float:
        """The memory of all processes, each page counted once; at least the limit if they grow by more meanwhile.

        While a process forks, its reader waits, and busy processes on the same processor can make that long.
        """
        known_kb, looked, most_kb = {**before_kb}, time.monotonic(), 0

        def measured(pid: int) -> float:
            nonlocal looked, most_kb
            if time.monotonic() - looked > USUAL_PAUSE_S and most_kb <= limit_kb:
                now_kb = {there: _status_kb(there, "RssAnon:", "VmSwap:") for there in others(self._walled)}
                most_kb = sum(kb - known_kb.setdefault(there, kb) for there, kb in now_kb.items())
                looked = time.monotonic()
            return most_kb if most_kb > limit_kb else _proportional_kb(pid)

        found_kb = self._of_each(measured)
        self._before_kb |= {pid: kb for pid, kb in found_kb.items() if kb}  # forks that end give back their share alone
        return sum(found_kb.values())

    def _of_each(self, measured: Callable[[int], float]) -> dict[int, float]:
        """`measured` of each process, by its number, those included that begin during the look.

        Otherwise one could fork, hand on all that it has, and end before it is measured. If processes begin faster than
        they are measured, each of the others counts as much as the largest.
        """
        found: dict[int, float] = {}
        for _ in range(ROUNDS):
            pids = others(self._walled)
            if all(pid in found for pid in pids):
                return {pid: found[pid] for pid in pids}
            found |= {pid: measured(pid) for pid in pids if pid not in found}
        return {pid: found.get(pid, max(found.values())) for pid in others(self._walled)}

    def _unseen_kb(self, each_kb: dict[int, int]) -> int:
        """Memory that the notebook may hold and that Linux counts for no process."""
        shown_kb = _unread_kb([*each_kb]) + self._mappings_kb(len(each_kb))
        return shown_kb + self._files.kept_kb(self._largest_kb) + self._not_yet_free_kb(each_kb)

    def _not_yet_free_kb(self, each_kb: dict[int, int]) -> int:
        """Memory of processes that are ending or becoming other programs, until Linux has it back.

        That takes no time, unless the notebook has busy processes on the same processor, which take their turns.
        """
        before_kb, self._before_kb = self._before_kb, {**each_kb}
        ending = [pid for pid, kb in each_kb.items() if kb < before_kb.get(pid, 0) and _is_ending(pid)]
        self._before_kb |= {pid: before_kb[pid] for pid in ending}
        self._ending_kb = [*self._ending_kb[1:], sum(before_kb[pid] for pid in ending)]
        return min(self._ending_kb)

    def _mappings_kb(self, count: int) -> int:
        """What Linux may note on the mappings of so many processes, at most what the machine's own notes have grown by.

        That growth is cheap to read, and usually shows that nothing needs counting. Where Linux takes long to write
        paths, all of it may be this notebook's.
        """
        notes_kb = lines_of("/proc/meminfo", "SUnreclaim:") or 0
        self._notes_kb = min(self._notes_kb, notes_kb)
        if (grown_kb := notes_kb - self._notes_kb) < USUAL_NOTES_KB:
            return 0
        end, each = time.thread_time() + COUNTING_S, MAPPING_BYTES + count * INHERITED_BYTES

        def noted_kb(pid: int) -> int:
            lines = 0
            for more in _line_counts(f"/proc/{pid}/maps"):
                lines += more
                if lines * each > grown_kb * 1024 or time.thread_time() > end:
                    return grown_kb
            return lines * each // 1024

        return min(grown_kb, sum(self._of_each(noted_kb).values()))


def others(walled: bool) -> list[int]:
    """The processes that are not this one: all in this sandbox, or without walls all descendants."""
    if not walled:
        return descendants()
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def _threads() -> Iterator[tuple[int, str]]:
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
    """All processes below this one."""
    return [process.pid for process in sys.modules["psutil"].Process().children(recursive=True)]


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


def last_pid() -> int:
    """The number that a process or thread of the sandbox was last given: they go up, and begin again at the end."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[-1])


def process_of(thread: int) -> int:
    """The process that a thread belongs to; 0 for one that has gone."""
    return lines_of(f"/proc/{thread}/status", "Tgid:") or 0


def session(pid: int) -> int:
    """The session that a process is in; 0 for one that has gone."""
    found = _stat(f"/proc/{pid}/stat")
    return int(found[3]) if found else 0


def _stat(path: str) -> list[bytes]:
    """What such a file tells of a process or thread after its name, which may be any bytes; nothing if it has gone."""
    try:
        with _read(path) as (text, size):
            return text[text.rindex(b")", 0, size) + 1 : size].split()
    except OSError:
        return []


def _is_ending(pid: int) -> bool:
    """Whether a process has lost its program, or has none yet, but isn't dead: it is giving its memory back."""
    for name in _listed(f"/proc/{pid}/task"):
        thread = f"/proc/{pid}/task/{name}"
        if (found := _stat(f"{thread}/stat")) and found[0] not in DEAD and not lines_of(f"{thread}/status", "VmExe:"):
            return True
    return False


def _unread_kb(pids: list[int]) -> int:
    """What may lie unread in the sockets of a kernel's network, beyond those that every kernel has.

    All its processes tell the same, but one whose first thread has ended only in the files of its other threads.
    """
    for pid in pids:
        for name in _listed(f"/proc/{pid}/task"):
            if (used := lines_of(f"/proc/{pid}/task/{name}/net/sockstat", "sockets:", column=2)) is not None:
                return max(0, used - USUAL_SOCKETS) * SOCKET_KB
    return 0


def _line_counts(path: str) -> Iterator[int]:
    """How many lines each piece of a text of /proc has; none where the process has gone."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            while size := os.readv(file, [_buffer]):
                yield _buffer.count(b"\n", 0, size)
        finally:
            os.close(file)
            _buffer[:] = bytes(FILE_BYTES)


def _resident_kb(pid: int) -> int:
    return _status_kb(pid, "RssAnon:", "RssShmem:", "VmSwap:", *UNSHARED)


def _proportional_kb(pid: int) -> int:
    shared = lines_of(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:", "SwapPss:")
    return shared + _status_kb(pid, *UNSHARED) if shared else _resident_kb(pid)


def _status_kb(pid: int, *names: str) -> int:
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


@contextlib.contextmanager
def _read(path: str) -> Iterator[tuple[bytearray, int]]:
    """A small file of /proc, as the start of one buffer, and how long it is; it is wiped at the end of the block.

    Errors  OSError for a process that has gone or hides.
    """
    file, size = os.open(path, os.O_RDONLY | os.O_CLOEXEC), 0
    try:
        with memoryview(_buffer) as room:
            while more := os.readv(file, [room[size:]]):
                size += more
        yield _buffer, size
    finally:
        os.close(file)
        _buffer[:size] = bytes(size)


_buffer = bytearray(FILE_BYTES)
