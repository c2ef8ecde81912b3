"""The watch that the preloaded process keeps over a notebook's processes: their memory, sessions and number.

A process chooses its name, which stands in the files that are read here, and of this process's memory each later kernel
gets a copy: so they are read into one place, which is wiped. This file stands alone, as all that is within the walls.
"""

import contextlib
import ctypes
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator

UNSHARED = ("VmPTE:", "HugetlbPages:")  # page tables, which cost as much as pages that are read but never written
USUAL_SOCKETS = 50  # of a network; an idle kernel has about 10 in its own
USUAL_PAUSE_S, LEAST_PAUSE_S = 0.5, 0.02  # between two looks
GROWS_KB_S = 4 * 2**20  # as fast as processes take memory: one took 1 to 3 GiB/s, several together little more
LOOKS_SHARE = 0.1  # of the time, that the looks may take
FILE_BYTES = 2**16  # of a file of /proc that is read here; the longest has some kilobytes
SOCKET_KB = 416  # what may wait unread in one: twice net.core.wmem_default, as Linux has it unless told otherwise
# As long may a file of /proc be that tells the path of a mapped file: of each folder's name 255 signs, each written
# with 4. Linux reads it in one piece, which has twice the room, and keeps it for as long as somebody has it open.
FOLDER_KB = 2
# Linux's notes on a mapping: one of 232 bytes, and for each process that it came through by fork some 160 more.
MAPPING_BYTES, INHERITED_BYTES = 256, 160
LOOKS = 4  # in a row that must see a process's file of /proc open: honest code closes it again
USUAL_TEXTS = 10  # other files of /proc that a notebook may have open; an idle kernel has none
USUAL_NOTES_KB = 64 * 2**10  # by which the whole machine's notes may grow meanwhile before mappings are counted
COUNTING_S = 0.2  # of computing, that one count of them may take: 400,000 usual ones
KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine(), -1)  # which some systems refuse
KCMP_FILE, KCMP_FILES = 0, 2
CACHED, TYPE_MODE_SIZE = 0x4000, 0x203  # statx's flag AT_STATX_DONT_SYNC, and what it is asked for
MODE, INODES_HIGHEST, SIZE, STATX_BYTES = slice(28, 30), 35, slice(40, 48), 256  # places in struct statx
SYSTEMS = 0xF0  # the highest byte, from here on, of inodes in /proc that belong to no process (PROC_DYNAMIC_FIRST)
READABLE_FILES = (0o100444, 0o100400, 0o100600)  # the modes of /proc's files that are texts, and that of `mem`
KIND, PROC = slice(0, 8), 0x9FA0  # the place in struct statfs, and there PROC_SUPER_MAGIC


class Watch:
    """What is looked at, and when next: the less memory is left, the sooner, so that a notebook can't run far ahead."""

    def __init__(self, granted: dict, count_started: Callable[[], int], walled: bool) -> None:
        self._granted, self._count_started, self._walled = granted, count_started, walled
        self.pause_s = LEAST_PAUSE_S
        self._listable = False  # whether any process's open files could be listed: none of a kernel's until it begins
        self._files = [0] * LOOKS  # of processes in /proc that were open at the last looks
        self._largest_kb = 0  # the memory of the largest process that was seen
        self._notes_kb = float("inf")  # the least that Linux had of its own at any look

    def exceeded(self) -> str | None:
        """The limit that all processes of a notebook together exceed, or None."""
        began = time.monotonic()
        pids, limit_kb = others(self._walled), self._granted["memory_bytes"] / 1024
        each_kb = [*map(_resident_kb, pids)]
        self._largest_kb = max(self._largest_kb, *each_kb, 0)
        used_kb = _unread_kb(pids) + self._files_kb(pids) + self._mappings_kb(pids) if self._walled else 0
        # Forks share pages. Count every page of each, and only if that is too much each page once, which takes longer.
        resident_kb = used_kb + sum(each_kb)
        if resident_kb > limit_kb:
            resident_kb = used_kb + sum(map(_proportional_kb, pids))
        ended = time.monotonic()
        left_s = (limit_kb - resident_kb) / GROWS_KB_S
        # Soon before any cell may hide its files, and while some may hold what a process had that ends meanwhile.
        is_plain = not self._walled or (self._listable and not self._files[-1])
        soon_s = left_s if is_plain else LEAST_PAUSE_S
        self.pause_s = min(USUAL_PAUSE_S, max(LEAST_PAUSE_S, soon_s, (ended - began) / LOOKS_SHARE))
        if resident_kb > limit_kb:
            return "memory"
        if self._walled and len({*map(session, pids)} - {0}) > self._granted["sessions"]:
            return "sessions"
        if self._walled and self._count_started() > self._granted["started"]:
            return "processes started"
        return None

    def _files_kb(self, pids: list[int]) -> int:
        """What Linux may keep for open files of /proc: the path of a mapped file, or what a process held at its end.

        That stays while others read it, by way of the process's `mem` or `pagemap`.
        """
        processes, systems = self._files_of_proc(pids)
        self._files = [*self._files[1:], processes]
        text_kb = FOLDER_KB * self._granted["files"]
        return min(self._files) * max(self._largest_kb, text_kb) + max(0, systems - USUAL_TEXTS) * text_kb

    def _files_of_proc(self, pids: list[int]) -> list[int]:
        """How many files of /proc are open: those of a process, and others.

        A thread may have open files of its own. Of a process that hides them each may be one. What forks have
        inherited under the same number is one file.
        """
        found, first = [0, 0], {}
        threads = [(pid, name) for pid in pids for name in _listed(f"/proc/{pid}/task")]
        for pid, name in threads:
            thread = f"/proc/{pid}/task/{name}"
            if int(name) != pid and libc.syscall(KCMP, pid, int(name), KCMP_FILES, 0, 0) == 0:
                continue  # the same files as its process's first thread
            try:
                for fd, is_systems in _of_proc(f"{thread}/fd"):
                    other = first.setdefault(fd, int(name))
                    is_same = other != int(name) and libc.syscall(KCMP, other, int(name), KCMP_FILE, fd, fd) == 0
                    found[is_systems] += not is_same
                self._listable = True
            except PermissionError:
                if self._listable and _lines(f"{thread}/status", "VmSize:"):  # else it is ending
                    found[0] += _lines(f"{thread}/status", "FDSize:") or 0
            except OSError:  # it has gone
                pass
        return found

    def _mappings_kb(self, pids: list[int]) -> int:
        """What Linux may note on the mappings of all processes, but no more than the machine's notes have grown by.

        These tell cheaply that there is nothing to count. A count ends once it has come to as much, or if Linux takes
        long to write paths: then all of it may be this notebook's.
        """
        notes_kb = _lines("/proc/meminfo", "SUnreclaim:") or 0
        self._notes_kb = min(self._notes_kb, notes_kb)
        if (grown_kb := notes_kb - self._notes_kb) < USUAL_NOTES_KB:
            return 0
        end, each, found = time.thread_time() + COUNTING_S, MAPPING_BYTES + len(pids) * INHERITED_BYTES, 0
        for pid in pids:
            for lines in _line_counts(f"/proc/{pid}/maps"):
                found += lines * each
                if found > grown_kb * 1024 or time.thread_time() > end:
                    return grown_kb
        return found // 1024


def others(walled: bool) -> list[int]:
    """The processes that are not this one: all in this sandbox, or without walls all descendants."""
    if not walled:
        return descendants()
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


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
    return _lines(f"/proc/{thread}/status", "Tgid:") or 0


def session(pid: int) -> int:
    """The session that a process is in; 0 for one that has gone."""
    try:
        with _read(f"/proc/{pid}/stat") as (text, size):  # a process's name may be any bytes
            return int(text[text.rindex(b")", 0, size) + 1 : size].split()[3])
    except OSError:
        return 0


def _unread_kb(pids: list[int]) -> int:
    """What may lie unread in the sockets of a kernel's network, beyond those that every kernel has.

    All its processes tell the same, but one whose first thread has ended only in the files of its other threads.
    """
    for pid in pids:
        for name in _listed(f"/proc/{pid}/task"):
            if (used := _lines(f"/proc/{pid}/task/{name}/net/sockstat", "sockets:", column=2)) is not None:
                return max(0, used - USUAL_SOCKETS) * SOCKET_KB
    return 0


def _of_proc(folder: str) -> list[tuple[int, bool]]:
    """Those of a thread's open files that are /proc's, empty and of a few modes, and whether they belong to no process.

    A notebook sets its own files' times and sizes, of which nothing stays here.
    Errors  PermissionError for one that hides them, OSError for one that has gone.
    """
    folder_fd, found = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), []
    try:
        for name in os.listdir(folder_fd):
            if libc.statx(folder_fd, name.encode(), CACHED, TYPE_MODE_SIZE, _state) != 0:
                continue  # it is closed by now
            if int.from_bytes(_state[MODE], sys.byteorder) in READABLE_FILES and not any(_state[SIZE]):
                is_systems = _state[INODES_HIGHEST] >= SYSTEMS
                is_there = libc.statfs(f"{folder}/{name}".encode(), _state) == 0
                if is_there and int.from_bytes(_state[KIND], sys.byteorder) == PROC:
                    found.append((int(name), is_systems))
    finally:
        os.close(folder_fd)
        ctypes.memset(_state, 0, STATX_BYTES)
    return found


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
    shared = _lines(f"/proc/{pid}/smaps_rollup", "Pss_Anon:", "Pss_Shmem:", "SwapPss:")
    return shared + _status_kb(pid, *UNSHARED) if shared else _resident_kb(pid)


def _status_kb(pid: int, *names: str) -> int:
    """The sum of some lines of a process's status.

    Once its first thread has ended the others go on, but only their own files tell what memory they have.
    """
    found = _lines(f"/proc/{pid}/status", *names)
    if found == 0 and _lines(f"/proc/{pid}/status", "Threads:") != 1:
        tasks = _listed(f"/proc/{pid}/task")
        found = max((_lines(f"/proc/{pid}/task/{name}/status", *names) or 0 for name in tasks), default=0)
    return found or 0


def _listed(folder: str) -> list[str]:
    """The names in a folder of /proc; none where the process has gone."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _lines(path: str, *names: str, column: int = 1) -> int | None:
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


libc = ctypes.CDLL(None)
_buffer, _state = bytearray(FILE_BYTES), (ctypes.c_ubyte * STATX_BYTES)()
