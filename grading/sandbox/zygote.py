"""The preloaded process inside a sandbox: imports the course's libraries once, then forks one kernel per notebook.

    python -P -s zygote.py CONTROL_FD SETTINGS

It stands alone but for the files next to it: nothing of `grading` is there to be imported, and it holds nothing that a
student may not see: what is submitted goes to the kernels alone. It starts no thread and touches no GPU before it
forks. One kernel runs at a time; the next one may be forked before its notebook is there, and waits.

Within walls a kernel is process 1 of namespaces of its own (`namespaces`): no process of a notebook sees or signals
this one, or its parent, which watches over them (`keeper`), and when the kernel ends, all of them do. That parent is
the first of the sandbox's namespace, so that nothing outlives it either. Without walls there is no parent: this process
watches itself, and sweeps up what a notebook has left. The messages between all of them are those of `packets`.
"""

import contextlib
import ctypes
import functools
import gc
import importlib
import importlib.util
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

# What every kernel imports, also what ipykernel imports only when one starts; the course names what notebooks import.
PRELOAD = """
numpy numpy.random
IPython IPython.core.completer IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
IPython.core.pylabtools IPython.extensions.storemagic IPython.utils.wildcard pdb sqlite3 faulthandler psutil
ipykernel.ipkernel ipykernel.zmqshell ipykernel.displayhook ipykernel.iostream ipykernel.debugger
asyncio tornado.platform.asyncio
""".split()
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def neighbour(name: str) -> ModuleType:
    """The module in the file next to this one, whose folder is not on Python's path."""
    return module(os.path.join(os.path.dirname(__file__), f"{name}.py"))


def module(path: str) -> ModuleType:
    """The module in a file that stands alone."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


MODULES = "computing_time keeper mappings open_files packets processes supervisor watch".split()
parts = SimpleNamespace(**{name: neighbour(name) for name in MODULES})
packets, package_ahead, huge_pages = parts.packets, neighbour("package_ahead"), neighbour("huge_pages")
libc = ctypes.CDLL(None)
_ended = (ctypes.c_ubyte * parts.keeper.ENDED_BYTES)()


def main() -> None:
    """Serves until the judge is gone; within walls a fork of this process is what loads, and forks kernels."""
    control, settings = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])
    if not settings["walled"]:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # No dump, and unlike 0 no program outside either that the system would hand one to; kernels can't change it.
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    libc.prctl(PR_SET_DUMPABLE, 0)  # no process of a student's may open this one's memory or descriptors
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a kernel leaves behind becomes a child of this process, walls or not
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 gets the signals that it handles, from anybody
    if select.select([control], [], [], 0)[0]:  # the judge was gone before this process could be told to end with it
        return
    if not settings["walled"]:
        if forks := loaded(control, settings):
            parts.keeper.serve(control, False, forks, parts)
        parts.processes.sweep()
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        if forks := loaded(control, settings, theirs):
            control.close()
            serve(theirs, forks)
        return
    theirs.close()
    parts.processes.OURS.add(pid)
    parts.keeper.serve(control, True, parts.keeper.Forker(ours, packets), parts)


def loaded(control: socket.socket, settings: dict, link: socket.socket | None = None) -> "Forks | None":
    """What forks kernels, once everything is loaded; None if it can't be. The judge hears of either.

    `link` is the way to the keeper, where that is another process.
    """
    gc.disable()  # imports leave little garbage, and looking for it takes a quarter of their time
    try:
        prepare(settings)
        for name in [*settings["modules"], *PRELOAD]:
            importlib.import_module(name)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)
            sys.modules["torch"].multiprocessing.set_sharing_strategy("file_system")  # no open file may be sent
        child, namespaces = neighbour("child"), neighbour("namespaces")
        if settings["warmup"]:
            module(settings["warmup"]).warm()
        package = package_ahead.load(settings["package"], settings["folder"]) if settings["package"] else {}
        child.make_shell()
    except Exception as error:  # noqa: BLE001  (whatever it is, the judge must hear of it)
        packets.send(control, {"failed": f"{type(error).__name__}: {error}"[:400]})
        return None
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(quiet, fd)
    gc.freeze()  # the collector leaves the pages that all kernels share alone
    gc.enable()
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        packets.send(control, {"failed": f"{threads} threads after loading: a fork would lose all but one"})
        return None
    hidden = neighbour("gpu_trial").hide_unless_it_computes((control, link), settings, namespaces, prepare)
    packets.send(control, {"up": os.getpid(), "gpu_hidden": hidden})
    filled = functools.partial(package_ahead.forget_unless_here, package)
    run = functools.partial(child.run, settings, packets.receive, filled)
    return Forks(settings, run, namespaces, control if link is None else link)


def serve(link: socket.socket, forks: "Forks") -> None:
    """Forks a kernel, or buries one, each time that the keeper asks, until that is gone.

    Nothing of a kernel is read here but its number: of this process's memory each later kernel gets a copy.
    """
    while (message := packets.receive(link))[0] is not None:
        request, fds = message
        if "bury" not in request:
            pid, pidfd = forks.fork(request, fds, [])
            packets.send(link, {"pid": pid}, pidfd)
            os.close(pidfd)
            continue
        libc.wait4(request["bury"], _ended, 0, ctypes.byref(_ended, parts.keeper.USAGE))
        link.send(_ended)
        ctypes.memset(_ended, 0, len(_ended))


class Forks:
    """Forks kernels from this process; without walls it is its own keeper's, for which it buries them, too."""

    def __init__(self, settings: dict, run: Callable, namespaces: ModuleType, asked: socket.socket) -> None:
        self._settings, self._run, self._namespaces, self._asked, self._started = settings, run, namespaces, asked, 0

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> tuple[int, int]:
        """Forks a kernel: its number and pidfd. Within walls its open files are this process's to close.

        Errors  OSError if there can be none, which the judge hears, too.
        """
        self._started += 1
        if self._started == huge_pages.WORTH_IT:
            huge_pages.collapse()
        walled = self._settings["walled"]
        if not walled:
            fds, ours = [os.dup(fd) for fd in fds], [*fds, *ours]
        status, gate, kernels = (socket.socket(fileno=fd) for fd in fds[:3])

        def become() -> None:
            self._asked.close()
            for fd in ours:
                os.close(fd)
            os.setsid()  # to which Linux gives one share of the processors
            if walled:
                kept = [sock.fileno() for sock in (status, gate, kernels)] + fds[3:]
                offer = functools.partial(parts.supervisor.offer, kernels, self._settings["gpu"])
                self._namespaces.enter(self._settings, kept, prepare, lambda _: offer())
            kernels.close()  # or a student could answer on it
            self._run(request, fds[3:], status, gate)

        try:
            forked = self._namespaces.fork if walled else fork
            pid = forked(functools.partial(exit_after, become, status))
        except OSError as error:
            packets.send(status, {"failed": str(error)})
            raise
        pidfd = os.pidfd_open(pid)
        with contextlib.suppress(OSError):
            packets.send(gate, {}, pidfd)
        for sock in (status, gate, kernels):
            sock.close()
        for fd in fds[3:]:
            os.close(fd)
        return pid, pidfd

    def bury(self, pid: int) -> tuple[int, float, bool]:
        """Without walls: ends all that a notebook has left, and removes what it has written."""
        code, cpu_s = parts.processes.sweep().get(pid, (-signal.SIGKILL, 0.0))
        return code, cpu_s, wipe(self._settings)


def exit_after(become: Callable[[], None], status: socket.socket) -> None:
    """In the forked process: becomes a kernel, and ends with it."""
    code = 1
    try:
        become()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:  # noqa: BLE001  (whatever it is, the judge must hear of it, while it still may)
        with contextlib.suppress(OSError):
            packets.send(status, {"failed": traceback.format_exc()[-2000:]})
    finally:
        os._exit(code)


def fork(run: Callable[[], None]) -> int:
    """As os.fork, but the child runs `run`, which must not return."""
    if (pid := os.fork()) == 0:
        run()
    return pid


def prepare(settings: dict) -> None:
    """Makes the notebook's folder and the home, with matplotlib's list of fonts, which takes a second to make."""
    os.makedirs(settings["folder"], exist_ok=True)
    fonts = os.path.join(settings["home"], ".cache", "matplotlib")
    os.makedirs(fonts, exist_ok=True)
    for path in settings["fonts"]:
        shutil.copy(path, fonts)


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


if __name__ == "__main__":
    with contextlib.suppress(ConnectionError):  # of the judge, or of one of these processes; then all end
        main()
