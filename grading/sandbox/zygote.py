"""The preloaded process inside a sandbox: imports the course's libraries once, then forks one kernel per notebook.

    python -P -s zygote.py CONTROL_FD SETTINGS

It stands alone but for the files next to it: nothing of `grading` is there to be imported, and it holds nothing that a
student may not see: what is submitted goes to the kernels alone. It starts no thread and touches no GPU before it
forks. It forks and buries kernels when the `keeper` asks for that, and otherwise waits.

Within walls a kernel is process 1 of namespaces of its own (`namespaces`): no process of a notebook sees or signals
the keeper or this one, and when the kernel ends, all of them do. This process is the first of the sandbox's namespace,
so that nothing outlives it either. Without walls it is the keeper, too, and sweeps up what a notebook has left.
Its messages are those of `packets`.
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

USAGE_AT, USAGE_BYTES = 8, 144  # struct rusage, after a status

libc = ctypes.CDLL(None)
_ended = ctypes.create_string_buffer(USAGE_AT + USAGE_BYTES)


def neighbour(name: str) -> ModuleType:
    """The module in the file next to this one, whose folder is not on Python's path."""
    return module(os.path.join(os.path.dirname(__file__), f"{name}.py"))


def module(path: str) -> ModuleType:
    """The module in a file that stands alone."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


OF_KEEPER = "packets supervisor watch patience processes open_files mappings computing_time".split()
parts = SimpleNamespace(**{name: neighbour(name) for name in OF_KEEPER})
packets, supervisor, processes = parts.packets, parts.supervisor, parts.processes
keeper, package_ahead, huge_pages = neighbour("keeper"), neighbour("package_ahead"), neighbour("huge_pages")
own_limits, own_view = neighbour("own_limits"), neighbour("own_view")


def main() -> None:
    """Loads, reports, and serves until the judge is gone."""
    settings = json.loads(sys.argv[2])
    with socket.socket(fileno=int(sys.argv[1])) as given:
        control = given.dup()  # with the smallest number: `select` takes none above 1023, which the judge's may be
    prctl = libc.prctl
    if not settings["walled"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    leave_no_dump()
    prctl(PR_SET_DUMPABLE, 0)  # no process of a student's may open this one's memory or descriptors
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a kernel leaves behind becomes a child of this process, walls or not
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 gets the signals that it handles, from anybody
    gc.disable()  # imports leave little garbage, and looking for it takes a quarter of their time
    if select.select([control], [], [], 0)[0]:  # the judge was gone before this process could be told to end with it
        return
    way = keeper.apart(functools.partial(keep, control, settings)) if settings["walled"] else control
    try:
        child, namespaces, package = load(settings)
    except Exception as error:  # noqa: BLE001  (whatever it is, the judge must hear of it)
        packets.send(control, {"failed": f"{type(error).__name__}: {error}"[:400]})
        return
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(quiet, fd)
    gc.freeze()  # the collector leaves the pages that all kernels share alone
    gc.enable()
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        packets.send(control, {"failed": f"{threads} threads after loading: a fork would lose all but one"})
        return
    hidden = neighbour("gpu_trial").hide_unless_it_computes([control, way], settings, namespaces, prepare)
    packets.send(control, {"up": os.getpid(), "gpu_hidden": hidden})
    run = functools.partial(child.run, settings, packets.receive, package, own_limits)
    preloaded = Preloaded(way, settings, namespaces, run)
    with contextlib.suppress(BrokenPipeError):
        if settings["walled"]:
            control.close()
            preloaded.serve()
        else:
            keeper.Keeper(control, settings, preloaded, parts).serve()
    if not settings["walled"]:
        processes.sweep()


def leave_no_dump() -> None:
    """Has Linux write down nothing of the memory of a process that crashes; kernels can't change it."""
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # unlike 0, no program outside is handed a dump either
    # A socket outside is, from Linux 6.16 on, whatever the limit. Where Linux makes no dumps, the file is not there.
    with contextlib.suppress(OSError), open("/proc/self/coredump_filter", "w", encoding="ascii") as kept:
        kept.write("0")


def load(settings: dict) -> tuple[ModuleType, ModuleType, package_ahead.Package]:
    """Imports what every kernel needs, and makes the one that all are forked from.

    Returns  the modules `child` and `namespaces`, and the course's package.
    """
    prepare(settings)
    for name in [*settings["modules"], *PRELOAD]:
        importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        # No open file may be sent: neither for a tensor, nor to the process from which Python 3.14 forks all others.
        sys.modules["torch"].multiprocessing.set_sharing_strategy("file_system")
        from multiprocessing import context

        context._default_context._default_context = context._default_context.get_context("fork")
    child, namespaces = neighbour("child"), neighbour("namespaces")
    # The package first: some of what is warmed up is its own. And whenever a class is registered with an abstract one,
    # Python forgets which objects it knew not to be such.
    package = package_ahead.Package(settings["package"])
    package.load(settings["folder"])
    if settings["warmup"]:
        module(settings["warmup"]).warm()
    made_of = {name: neighbour(name) for name in ("frames", "kernel_channels", "cell_names", "cell_reading")}
    child.make_kernel(neighbour("shell_commands").run, **made_of)
    return child, namespaces, package


def keep(control: socket.socket, settings: dict, way: socket.socket) -> None:
    """In the keeper within walls: serves until the judge is gone, or the preloaded process is."""
    gc.enable()  # of each kernel it keeps a watch that refers to it again
    keeps = keeper.Keeper(control, settings, keeper.Preloaded(way, packets), parts)
    try:
        keeps.serve()
    except Exception:  # noqa: BLE001  (whatever it is, the judge must hear of it)
        keeps.failed(traceback.format_exc()[-2000:])


class Preloaded:
    """This process once all is loaded: kernels are forked from it. `way` is closed in each."""

    def __init__(self, way: socket.socket, settings: dict, namespaces: ModuleType, run: Callable) -> None:
        self._way, self._settings, self._namespaces, self._run = way, settings, namespaces, run
        self._forked = 0

    def serve(self) -> None:
        """Forks and buries as the keeper asks, until that has ended."""
        while (message := packets.receive(self._way))[0] is not None:
            request, fds = message
            if request["op"] == "bury":
                self._bury(request["pid"])
                continue
            try:
                packets.send(self._way, {"forked": self.fork(request, fds, [])})
            except (OSError, RuntimeError) as error:  # the latter where no thread can be started
                packets.send(self._way, {"failed": str(error)})
            finally:
                for fd in fds:
                    os.close(fd)

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> int:
        """The number of a new kernel, for which `fds` are: status, gate, the way to its supervisor, and two sockets.

        The open files `ours` are closed in it. Errors  OSError if there can be none.
        """
        self._forked += 1
        if self._forked == huge_pages.WORTH_IT:
            huge_pages.collapse()
        forked = self._namespaces.fork if self._settings["walled"] else fork
        return forked(functools.partial(self._become, request, fds, ours))

    def _bury(self, pid: int) -> None:
        """Passes on how a kernel ended, unread, and wipes it: each later kernel copies this memory."""
        libc.wait4(pid, _ended, 0, ctypes.byref(_ended, USAGE_AT))
        self._way.send(memoryview(_ended)[: keeper.ENDED.size])
        ctypes.memset(_ended, 0, len(_ended))

    def wipe(self) -> bool:
        """Without walls: see `wipe`."""
        return wipe(self._settings)

    def _become(self, request: dict, fds: list[int], ours: list[int]) -> None:
        """In the forked process: becomes a kernel, and ends with it."""
        code, (status, gate, asking) = 1, (socket.socket(fileno=fd) for fd in fds[:3])
        try:
            self._way.close()
            for fd in ours:
                os.close(fd)
            os.setsid()  # to which Linux gives one share of the processors
            if self._settings["walled"]:
                gpu, view = self._settings["gpu"], functools.partial(own_view.over, namespaces=self._namespaces)
                self._namespaces.enter(self._settings, fds, view, prepare, lambda _: supervisor.offer(asking, gpu))
            asking.close()
            self._run(request, fds[3:], status, gate)
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
    main()
