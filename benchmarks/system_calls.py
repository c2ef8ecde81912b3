"""System calls made within the walls while a command runs: those used, those refused, and those allowed in vain.

    python benchmarks/system_calls.py --keep /var/tmp -- make test

Follows the whole machine by Linux's own tracing, so it needs root and the program `perf`. A process counts from when
bubblewrap has put it within the walls; bubblewrap's own calls are left out. Calls that come in millions (reading,
writing, waiting) are not recorded, or a trace of the tests would take hundreds of gigabytes: all are on the list.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from grading.sandbox import seccomp, system_calls

FREQUENT = ("read", "write", "epoll_wait", "recvfrom", "getpid", "futex", "clock_gettime", "poll", "gettid")
FREQUENT += ("epoll_pwait", "ppoll")  # what aarch64 has for epoll_wait and poll
EPERM = 1
WALL = "bwrap"
BY_ARGUMENTS = {
    "socket": system_calls.SOCKET,
    "clone": system_calls.CLONE,
    "clone3": system_calls.CLONE3,
    "mmap": system_calls.MMAP,
    "madvise": system_calls.MADVISE,
    "msync": system_calls.MSYNC,
    **dict(zip(("fsync", "fdatasync", "sync_file_range"), system_calls.FLUSHING, strict=True)),
    "ioctl": system_calls.IOCTL,
    "fcntl": system_calls.FCNTL,
    "prctl": system_calls.PRCTL,
    "socketpair": system_calls.SOCKETPAIR,
    "setsockopt": system_calls.SETSOCKOPT,
    "getsockopt": system_calls.GETSOCKOPT,
    "sched_setaffinity": system_calls.SET_AFFINITY,
    "set_mempolicy": system_calls.SET_MEMORY_POLICY,
    "sched_setscheduler": system_calls.SET_SCHEDULER,
    "setrlimit": system_calls.SETRLIMIT,
    "prlimit64": system_calls.PRLIMIT,
    "pidfd_send_signal": system_calls.PIDFD_SIGNAL,
}

LINE = re.compile(r"\s*(?P<command>.+?)\s+(?P<pid>-?\d+)/-?\d+\s+(?P<event>PERF_RECORD_\w+|[\w:]+?):?(?P<said>[ (].*)")
FORK = re.compile(r"\((\d+):\d+\):\((\d+):\d+\)")
COMM = re.compile(rf"\b{WALL}:(\d+)/")
ENTER = re.compile(r"NR (-?\d+) ")


@dataclass
class Seen:
    """Calls made within the walls, and calls that ended in EPERM there, each with how often."""

    made: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)


def listed(machine: str) -> dict[str, int]:
    """The system calls on the list that a machine has, with their numbers there."""
    _, column = seccomp.MACHINES[machine]
    known = {**system_calls.ALLOWED, **BY_ARGUMENTS}
    return {name: numbers[column] for name, numbers in known.items() if numbers[column] is not None}


def read(lines: Iterable[str], machine: str) -> Seen:
    """What a machine's trace in perf's words says of the processes within the walls, in the order of time."""
    names = {number: name for name, number in listed(machine).items()}
    walled: set[int] = set()
    seen = Seen()
    for line in lines:
        found = LINE.match(line)
        if found is None:
            continue
        pid, event, said = int(found["pid"]), found["event"], found["said"]
        if event == "PERF_RECORD_FORK" and (fork := FORK.search(said)):
            child, parent = map(int, fork.groups())
            walled.add(child) if parent in walled else walled.discard(child)
        elif event == "PERF_RECORD_COMM" and (comm := COMM.search(said)):
            walled.add(int(comm[1]))
        elif pid in walled and found["command"] != WALL and (call := ENTER.search(said)):
            counted = seen.refused if event.endswith("sys_exit") else seen.made
            counted[names.get(int(call[1]), f"number {call[1]}")] += 1
    return seen


def table(seen: Seen, machine: str) -> str:
    """What was made, what was refused, and what the machine's list allows and nobody used."""
    unused = [name for name in listed(machine) if name not in FREQUENT and name not in seen.made]

    def counts(of: Counter) -> str:
        return ", ".join(f"{name} {count}" for name, count in of.most_common()) or "none"

    return "\n".join(
        [
            f"made      {len(seen.made)} calls: {counts(seen.made)}",
            f"refused   {len(seen.refused)} calls: {counts(seen.refused)}",
            f"not made  {len(unused)} calls on the list: {', '.join(unused)}",
        ]
    )


def main() -> int:
    """Traces the command given, prints the table; the exit status is the command's."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="folder for the trace, of some gigabytes; a temporary one by default")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("perf") is None:
        print("system_calls: this needs root and the program perf (Debian: linux-perf).", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=given.keep) as folder:
        trace = Path(folder) / "trace"
        machine = platform.machine()
        numbers = listed(machine)
        common = " && ".join(f"id != {numbers[name]}" for name in FREQUENT if name in numbers)
        events = ["-e", "raw_syscalls:sys_enter", "--filter", common]
        events += ["-e", "raw_syscalls:sys_exit", "--filter", f"ret == -{EPERM}"]
        record = ["perf", "record", "--quiet", "--all-cpus", "-m", "16M", *events, "-o", trace, "--", *given.command]
        status = subprocess.run(record, check=False).returncode
        fields = ["-F", "comm,pid,tid,event,trace", "--show-task-events"]
        with subprocess.Popen(
            ["perf", "script", "-i", trace, *fields], stdout=subprocess.PIPE, text=True, errors="replace"
        ) as script:
            print(table(read(script.stdout, machine), machine))
    return status


if __name__ == "__main__":
    sys.exit(main())
