"""A notebook's own namespaces: a process that is forked into new ones, furnishes them, and gives up every right.

Within the walls each kernel is process 1 of its own: it sees no process but those that it starts, has /tmp and /dev/shm
to itself, no network at all, and with its end every process, mount and counter in there is gone. Nothing of it is there
for the next one to find, and nothing has to be swept.

Like the zygote it stands alone. Started as a program it tries all of this once, and fails with a line if it cannot.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import signal
import sys
import threading
from collections.abc import Callable

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x08000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 8, 32, 4096, 16384
EMPTY = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 22, 2, 24, 47, 4
CAPABILITY_VERSION_3 = 0x20080522
CAPABILITIES = 64  # numbers that there may be
TERMINALS_AT = "/dev/pts"
ESCAPE = re.compile(r"\\([0-7]{3})")  # as mountinfo writes spaces and the like
# What stays of what /proc tells of the whole machine: what libraries and programs ask for, and CUDA (devices, driver).
# A list of what is fine, because each Linux tells more: its counters would be notes to other notebooks, and who runs
# the machine may have written what they like into the line that Linux was started with.
TOLD = """
cgroups cpuinfo devices driver filesystems loadavg meminfo mounts net self stat sys sysvipc thread-self tty uptime
version
""".split()
FILTER_STEP_BYTES = 8  # struct sock_filter
THREADS_FORK_DEAF = (3, 13)  # the first Python that asks the thread which forked it about signals, and it is gone
STACK_BYTES = 8 * 2**20  # of a kernel's main thread: what Linux gives a process by default

libc = ctypes.CDLL(None, use_errno=True)


def fork(run: Callable[[], None]) -> int:
    """As os.fork, but the child is process 1 of new process, network, IPC and mount namespaces, and runs `run`, which
    must not return.

    A thread goes into the new namespaces and forks: Linux lets each thread have its own (a new one of processes is for
    its children only), and this process stays in the old ones. In the child that thread is the main one. From Python
    3.13 on, no loop there hears a signal, so a process forks that was forked for this, which takes a little longer.
    Errors  OSError if there can be none; its text says what was refused.
    """
    return (_fork_in_a_thread if sys.version_info < THREADS_FORK_DEAF else _fork_in_a_process)(run)


def _fork_in_a_thread(run: Callable[[], None]) -> int:
    found: list[int | OSError] = []

    def become() -> None:
        threading.stack_size(0)
        run()

    def go() -> None:
        try:
            found.append(_fork_into_new(become))
        except OSError as error:
            found.append(error)

    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=go, name="MainThread")  # which it will be, and threads are numbered without it
    thread.start()
    threading.stack_size(0)
    thread.join()
    if isinstance(found[0], OSError):
        raise _refused(found[0].strerror)
    return found[0]


def _fork_in_a_process(run: Callable[[], None]) -> int:
    """The process in between ends at once; this one, which takes in what others leave behind, becomes the parent."""
    listening, telling = os.pipe()

    def become() -> None:
        os.close(telling)
        run()

    between = os.fork()
    if between == 0:
        said = "the process in between failed"
        try:
            os.close(listening)
            said = str(_fork_into_new(become))
        except OSError as error:
            said = error.strerror
        finally:
            os.write(telling, said.encode())
            os._exit(0)
    os.close(telling)
    with open(listening, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(between, 0)
    if not said.isdecimal():
        raise _refused(said)
    return int(said)


def _fork_into_new(run: Callable[[], None]) -> int:
    _called("unshare", CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS)
    child = os.fork()
    if child == 0:
        run()
        os._exit(1)
    return child


def _refused(what: str) -> OSError:
    return OSError(f"no new namespaces: {what}")


def enter(settings: dict, kept: list[int], *before: Callable[[dict], None]) -> None:
    """Makes this process, forked as above, one in which student code may run: calls `before` and then has no rights.

    `settings` are the zygote's, and of its open files those `kept` stay as they are.
    Errors  OSError if any of it is refused.
    """
    furnish(settings["places"], settings["kept"], settings["gpu"])
    reopen(kept)
    for call in before:
        call(settings)
    with open(settings["filter"], "rb") as file:
        give_up_rights(file.read())


def reopen(kept: list[int]) -> None:
    """Opens every file that this process has inherited again, under the same number, but for the descriptors `kept`.

    An inherited descriptor shares its position, flags, locks and owner with the zygote's, and so with every later
    kernel's: what one notebook sets there, the next one would find. Devices were opened where they are not read-only.
    Errors  OSError for a descriptor that cannot be opened again, such as a socket.
    """
    null = os.stat(os.devnull).st_rdev
    for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
        path = f"/proc/self/fd/{fd}"
        if fd in kept or not os.path.exists(path):  # the second is the one that listed the folder
            continue
        file = os.devnull if os.stat(path).st_rdev == null else path
        again = os.open(file, fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_APPEND))
        os.lseek(again, os.lseek(fd, 0, os.SEEK_CUR), os.SEEK_SET)
        os.dup2(again, fd, inheritable=os.get_inheritable(fd))
        os.close(again)


def furnish(places: dict[str, str], kept: list[str], gpu: bool = False) -> None:
    """Mounts an empty folder of bounded size at each of `places`, and a /proc that shows these namespaces alone.

    `places` has tmpfs's options by path; what is mounted at `kept` below them stays there. No program runs from them:
    for a file that isn't one, older versions of Linux start modprobe outside, as root, which counts for no notebook.
    With a GPU the files of this process's threads stay writable: CUDA gives its threads names there, and does not start
    where it cannot.
    Errors  OSError, whose text says which mount was refused.
    """
    below = [path for path in kept if any(path.startswith(f"{place}/") for place in places)]
    staying = [(path, os.open(path, os.O_PATH)) for path in below]
    for place, options in places.items():
        mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options)
    for path, fd in staying:
        os.makedirs(path)
        mount(f"/proc/self/fd/{fd}", path, None, MS_BIND | MS_REC)
        os.close(fd)
    mount("tmpfs", TERMINALS_AT, "tmpfs", EMPTY, "nr_inodes=1")  # no terminal can be opened: see `shell_commands`
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if gpu:
        threads = f"/proc/{os.getpid()}/task"
        mount(threads, threads, None, MS_BIND)
    # Read-only: the namespaces' own settings, such as the highest pid, and how Linux treats a process, such as its
    # autogroup's priority, with which it could wait by choice.
    mount(None, "/proc", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount("/dev/null", "/dev/zero", None, MS_BIND)  # mapped and shared, it would be memory that nobody counts
    for path in _devices() - {*places}:
        mount(None, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC)
    for name in untold():  # last, so that the device is read-only there, too
        path = f"/proc/{name}"
        with contextlib.suppress(FileNotFoundError):  # it is gone by now
            if os.path.isdir(path):
                mount("tmpfs", path, "tmpfs", EMPTY, "nr_inodes=1")
            else:
                mount("/dev/null", path, None, MS_BIND)


def untold() -> list[str]:
    """What lies in /proc next to the folders of processes and is hidden from notebooks."""
    return [name for name in os.listdir("/proc") if not name.isdigit() and name not in TOLD]


def _devices() -> set[str]:
    """What is mounted in /dev: the machine's devices, a GPU's too, whose times would be notes to other notebooks.

    Where they are read-only, writing into them still works.
    """
    return {place for place in mounted() if place.startswith("/dev/")}


def mounted() -> list[str]:
    """Where something is mounted, as this process sees it."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
        return [ESCAPE.sub(lambda digits: chr(int(digits[1], 8)), line.split()[4]) for line in lines]


def give_up_rights(filter_program: bytes) -> None:
    """Gives up all capabilities, for good, and every system call that the filter refuses.

    Errors  OSError if any of it is refused: then no student code may run here.
    """
    _called("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for number in range(CAPABILITIES):
        with contextlib.suppress(OSError):  # this kernel knows fewer
            _called("prctl", PR_CAPBSET_DROP, number, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; in two halves
    _called("capset", header, none)
    if rights := held():
        raise OSError(f"these capabilities stay: {rights}")
    steps = ctypes.create_string_buffer(filter_program, len(filter_program))
    program = _Program(len(filter_program) // FILTER_STEP_BYTES, ctypes.addressof(steps))
    _called("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


def held() -> list[str]:
    """The sets of capabilities of this process that are not empty, as /proc tells them."""
    with open("/proc/self/status", encoding="ascii") as lines:
        sets = [line.split() for line in lines if line.startswith("Cap")]
    return [f"{name} {value}" for name, value in sets if int(value, 16)]


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2).

    Errors  OSError, whose text names the target.
    """
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    try:
        _called("mount", *words, flags, None if options is None else options.encode())
    except OSError as error:
        raise OSError(error.errno, f"mount at {target}: {os.strerror(error.errno)}", target) from None


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def _called(name: str, *arguments: object) -> None:
    passed = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    if getattr(libc, name)(*passed) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def main() -> None:
    """Tries it: `python namespaces.py FILTER REFUSED NO_PROC`, within the walls; the last two are exit statuses."""
    refused, no_proc = map(int, sys.argv[2:])
    with open(sys.argv[1], "rb") as file:
        program = file.read()

    def tried() -> None:
        code = refused
        try:
            furnish({"/tmp": "size=1m", "/dev/shm": "size=1m"}, [])
            give_up_rights(program)
            code = 0
        except OSError as error:
            print(f"namespaces: {error.strerror or error}", file=sys.stderr, flush=True)
            code = no_proc if error.filename == "/proc" else refused
        finally:
            os._exit(code)

    child = fork(tried)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        main()
    except OSError as error:
        print(f"namespaces: {error}", file=sys.stderr)
        sys.exit(int(sys.argv[2]))
