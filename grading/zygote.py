"""The preloaded process inside a sandbox: imports the course's libraries once, then forks a kernel a notebook.

    python -P -s zygote.py CONTROL_FD SETTINGS

It stands alone but for the files beside it: nothing of `grading` is there to be imported, and it holds nothing that a
student may not see: what is handed in goes to the kernels alone. It starts no thread and touches no GPU before it
forks. One kernel runs at a time; the next one may be forked before its notebook is there, and waits.

Within walls a kernel is process 1 of namespaces of its own (`namespaces`): no process of a notebook sees or signals
this one, which watches over their memory, and when the kernel ends, all of them do. This process is the first of the
sandbox's namespace, so that nothing outlives it either. Without walls it sweeps up what a notebook has left.

Messages are JSON on SOCK_SEQPACKET sockets, open files travel beside them:

    control   {"op": "start", …} + a status socket, a gate, 4 sockets that listen for shell, iopub, stdin and control
              {"op": "go"}                                     the notebook begins, and with it the watch over it
              {"op": "ping", "n": …}                           answered {"pong": n}
              and first of all from here: {"up": process} or {"failed": why}
    status    from the judge {"signal": n}, or the end of the socket: the notebook is over
              from here {"failed": why}, {"exit": code, "struck": the limit that ended it or null, "cpu_s": …}
    gate      first of all from here {} + a descriptor of the kernel's process, whose number the judge reads from it
              to the kernel {"path": …} + an open file          put it into the notebook's folder
              {"seed": n}                                      what its random numbers follow from
              and the end of the socket: the folder is complete, cells may run
"""

import array
import contextlib
import ctypes
import functools
import gc
import importlib
import importlib.util
import json
import os
import select
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from types import ModuleType

# What the notebooks import, and what ipykernel imports only when a kernel starts. Not matplotlib_inline: its import
# registers the display of figures with the shell that runs, so each kernel must do that itself.
PRELOAD = """
torch torch.nn torch.nn.functional numpy numpy.random secrets sympy matplotlib.pyplot matplotlib.backends.backend_agg
PIL.PngImagePlugin PIL.BmpImagePlugin PIL.GifImagePlugin PIL.JpegImagePlugin PIL.PpmImagePlugin
IPython IPython.core.completer IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
IPython.core.pylabtools IPython.extensions.storemagic IPython.utils.wildcard pdb sqlite3 faulthandler psutil
ipykernel.ipkernel ipykernel.zmqshell ipykernel.displayhook ipykernel.iostream ipykernel.debugger
ipykernel.subshell_manager asyncio tornado.platform.asyncio
""".split()
WATCH_S = 0.5  # how often a running notebook's memory is looked at
UNSHARED = ("VmPTE:", "HugetlbPages:")  # page tables, which cost as much as pages that are read but never written
LOCKS_BYTES = 2**18  # of /proc/locks: about 5,000 locks
USUAL_SOCKETS = 50  # of a network; an idle kernel has about 10 in its own
SOCKET_KB = 416  # what may wait unread in one: twice net.core.wmem_max, as Linux has it by default
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def send(sock: socket.socket, message: dict, *fds: int) -> None:
    """Sends one message, with open file descriptors beside it."""
    beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    sock.sendmsg([json.dumps(message).encode()], beside)


def receive(sock: socket.socket) -> tuple[dict | None, list[int]]:
    """One message and its file descriptors; None when the other end is gone."""
    fds = array.array("i")
    try:
        data, beside, _, _ = sock.recvmsg(1 << 16, socket.CMSG_SPACE(8 * fds.itemsize), socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        return None, []
    for level, kind, content in beside:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    return (json.loads(data) if data else None), list(fds)


def main() -> None:
    """Loads, reports, and serves until the judge is gone."""
    control, settings = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])
    prctl = ctypes.CDLL(None).prctl
    if not settings["walled"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_DUMPABLE, 0)  # no process of a student's may open this one's memory or descriptors
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a kernel leaves behind becomes a child of this process, walls or not
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 gets the signals that it handles, from anybody
    gc.disable()  # imports leave little rubbish, and looking for it is a quarter of their time
    try:
        prepare(settings)
        for name in PRELOAD:
            importlib.import_module(name)
        sys.modules["torch"].set_num_threads(1)
        forked, namespaces = neighbour("forked"), neighbour("namespaces")
        neighbour("warm").warm()
    except Exception as error:  # noqa: BLE001  (whatever it is, the judge must hear of it)
        send(control, {"failed": f"{type(error).__name__}: {error}"[:400]})
        return
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(quiet, fd)
    gc.freeze()  # the collector leaves the pages that all kernels share alone
    gc.enable()
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        send(control, {"failed": f"{threads} threads after loading: a fork would lose all but one"})
        return
    send(control, {"up": os.getpid()})
    with contextlib.suppress(BrokenPipeError):
        serve(control, settings, forked, namespaces)
    if not settings["walled"]:
        sweep()


def neighbour(name: str) -> ModuleType:
    """The module in the file beside this one, whose folder is not on Python's path."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(control: socket.socket, settings: dict, forked: ModuleType, namespaces: ModuleType) -> None:
    """Answers requests and keeps watch over the kernel, until the judge is gone or a notebook's files resist."""
    kernel = None
    while True:
        watched = [control, kernel.status, kernel.pidfd] if kernel else [control]
        ready, _, _ = select.select(watched, [], [], WATCH_S if kernel and kernel.going else None)
        if control in ready:
            request, fds = receive(control)
            if request is None:
                return
            match request["op"]:
                case "ping":
                    send(control, {"pong": request["n"]})
                case "start" if kernel is None:
                    run = functools.partial(forked.run, settings, receive)
                    kernel = Kernel(request, fds, control, settings, namespaces, run)
                    continue
                case "go" if kernel is not None:
                    kernel.going = True
            for fd in fds:
                os.close(fd)
        if kernel is None:
            continue
        over = kernel.pidfd in ready
        if not over and kernel.status in ready:
            message, _ = receive(kernel.status)
            over = message is None
            if message is not None:
                kernel.send_signal(message["signal"])
        elif not over:
            kernel.struck = struck(kernel, settings)
            over = kernel.struck is not None
        if over:
            clean = kernel.end(settings)
            kernel = None
            if not clean:
                return


class Kernel:
    """A forked kernel, as its parent sees it."""

    def __init__(
        self,
        request: dict,
        fds: list[int],
        control: socket.socket,
        settings: dict,
        namespaces: ModuleType,
        run: Callable,
    ) -> None:
        self.limits, self.struck, self.going = request["watched"], None, False
        self.status, gate = socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1])
        try:
            self.pid = namespaces.fork() if settings["walled"] else os.fork()
        except OSError as error:
            send(self.status, {"failed": str(error)})
            raise
        if self.pid == 0:
            code = 1
            try:
                control.close()
                os.setsid()  # to which Linux gives one share of the processors
                if settings["walled"]:
                    namespaces.reopen([self.status.fileno(), gate.fileno(), *fds[2:]])
                    namespaces.furnish(settings["places"], settings["kept"])
                    prepare(settings)
                    with open(settings["filter"], "rb") as file:
                        namespaces.give_up_rights(file.read())
                run(request, fds[2:], self.status, gate)
                code = 0
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 0
            except BaseException:  # noqa: BLE001  (whatever it is, the judge must hear of it, while it still may)
                with contextlib.suppress(OSError):
                    send(self.status, {"failed": traceback.format_exc()[-2000:]})
            finally:
                os._exit(code)
        self.pidfd, self.started, self._last_pid = os.pidfd_open(self.pid), 0, last_pid()
        with contextlib.suppress(OSError):
            send(gate, {}, self.pidfd)
        gate.close()
        for fd in fds[2:]:
            os.close(fd)

    def count_started(self) -> int:
        """How many processes and threads have been started since the kernel was."""
        before, self._last_pid = self._last_pid, last_pid()
        self.started += self._last_pid - before if self._last_pid >= before else self._last_pid
        return self.started

    def send_signal(self, number: int) -> None:
        """Signals the kernel and what it started in its own process group, as Jupyter does."""
        with contextlib.suppress(ProcessLookupError):
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:  # it has not come to its setsid yet
                os.kill(self.pid, number)

    def end(self, settings: dict) -> bool:
        """Ends the kernel and all that it started, and tells the judge how it ended; whether nothing of it is left."""
        if settings["walled"]:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            _, status, used = os.wait4(self.pid, 0)  # which returns when the whole namespace is empty
            ended = {self.pid: (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)}
            clean = True
        else:
            ended = sweep()
            clean = wipe(settings)
        os.close(self.pidfd)
        code, cpu_s = ended.get(self.pid, (-signal.SIGKILL, 0.0))
        with contextlib.suppress(OSError):
            send(self.status, {"exit": code, "struck": self.struck, "cpu_s": cpu_s})
        self.status.close()
        return clean


def prepare(settings: dict) -> None:
    """Makes the notebook's folder and the home, with matplotlib's list of fonts, which takes a second to make anew."""
    os.makedirs(settings["folder"], exist_ok=True)
    fonts = os.path.join(settings["home"], ".cache", "matplotlib")
    os.makedirs(fonts, exist_ok=True)
    for path in settings["fonts"]:
        shutil.copy(path, fonts)


def others(settings: dict) -> list[int]:
    """The processes that are not this one: all in this sandbox, or without walls all descendants."""
    if not settings["walled"]:
        return _descendants()
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def _descendants() -> list[int]:
    return [process.pid for process in sys.modules["psutil"].Process().children(recursive=True)]


def sweep() -> dict[int, tuple[int, float]]:
    """Without walls: kills every descendant, and gives exit code and CPU seconds of each that was a child."""
    ended = {}
    while True:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return ended
        ended[pid] = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def wipe(settings: dict) -> bool:
    """Without walls: removes all that a notebook has written, and prepares for the next one; False if it resists.

    In a fork, so that not even the names of files stay in this process's memory, of which the next kernel has a copy.
    """
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for entry in os.scandir(settings["base"]):
                shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
            prepare(settings)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def struck(kernel: Kernel, settings: dict) -> str | None:
    """The limit that all processes of a notebook together exceed, or None."""
    pids, limit_kb = others(settings), kernel.limits["memory_bytes"] / 1024
    limit_kb -= _unread_kb(pids) if settings["walled"] else 0
    # Forks share pages. Count every page of each, and only if that is too much each page once, which takes longer.
    if sum(map(_resident_kb, pids)) > limit_kb and sum(map(_proportional_kb, pids)) > limit_kb:
        return "memory"
    if settings["walled"] and _many_locks():
        return "memory"
    if settings["walled"] and len({*map(_session, pids)} - {0}) > kernel.limits["sessions"]:
        return "sessions"
    if settings["walled"] and kernel.count_started() > kernel.limits["started"]:
        return "processes started"
    return None


def last_pid() -> int:
    """The number that a process or thread of the sandbox was last given: they go up, and begin anew at the end."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[-1])


def _session(pid: int) -> int:
    """The session that a process is in; 0 for one that has gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # a process's name may be any bytes
            return int(file.read().rpartition(b")")[2].split()[3])
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


def _many_locks() -> bool:
    """Whether the sandbox's processes hold so many locks on parts of files that they are a store of memory.

    Linux bounds their number nowhere. What is too much is not read: each page takes longer than the one before.
    """
    read = 0
    with open("/proc/locks", "rb", buffering=0) as file:
        while read < LOCKS_BYTES and (part := file.read(1 << 16)):
            read += len(part)
    return read >= LOCKS_BYTES


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
    wanted = tuple(name.encode() for name in names)
    try:
        with open(path, "rb") as file:
            return sum(int(line.split()[column]) for line in file.read().split(b"\n") if line.startswith(wanted))
    except OSError:
        return None


if __name__ == "__main__":
    main()
