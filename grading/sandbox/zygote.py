"""The preloaded process inside a sandbox: imports the course's libraries once, then forks one kernel per notebook.

    python -P -s zygote.py CONTROL_FD SETTINGS

It stands alone but for the files next to it: nothing of `grading` is there to be imported, and it holds nothing that a
student may not see: what is submitted goes to the kernels alone. It starts no thread and touches no GPU before it
forks. One kernel runs at a time; the next one may be forked before its notebook is there, and waits.

Within walls a kernel is process 1 of namespaces of its own (`namespaces`): no process of a notebook sees or signals
the one that watches over them, a fork of this one (`keeper`), and when the kernel ends, all of them do. This process is
the first of the sandbox's namespace, so that nothing outlives it either. Without walls it watches itself, and sweeps up
what a notebook has left.
Its messages to and from the judge are those of `packets`.
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
import time
import traceback
from collections.abc import Callable
from types import ModuleType

# What every kernel imports, also what ipykernel imports only when one starts; the course names what notebooks import.
PRELOAD = """
numpy numpy.random
IPython IPython.core.completer IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
IPython.core.pylabtools IPython.extensions.storemagic IPython.utils.wildcard pdb sqlite3 faulthandler psutil
ipykernel.ipkernel ipykernel.zmqshell ipykernel.displayhook ipykernel.iostream ipykernel.debugger
asyncio tornado.platform.asyncio
""".split()
SLACK_S = 1.0  # so much below its limit on computing time a process that was killed had reached it
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


packets, supervisor, watch = neighbour("packets"), neighbour("supervisor"), neighbour("watch")
processes, open_files, mappings = neighbour("processes"), neighbour("open_files"), neighbour("mappings")
package_ahead, huge_pages = neighbour("package_ahead"), neighbour("huge_pages")
computing_time, keeper = neighbour("computing_time"), neighbour("keeper")


def main() -> None:
    """Loads, reports, and serves until the judge is gone."""
    control, settings = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])
    prctl = ctypes.CDLL(None).prctl
    if not settings["walled"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # No dump, and unlike 0 no program outside either that the system would hand one to; kernels can't change it.
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    prctl(PR_SET_DUMPABLE, 0)  # no process of a student's may open this one's memory or descriptors
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a kernel leaves behind becomes a child of this process, walls or not
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 gets the signals that it handles, from anybody
    gc.disable()  # imports leave little garbage, and looking for it takes a quarter of their time
    if select.select([control], [], [], 0)[0]:  # the judge was gone before this process could be told to end with it
        return
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
        return
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(quiet, fd)
    gc.freeze()  # the collector leaves the pages that all kernels share alone
    gc.enable()
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        packets.send(control, {"failed": f"{threads} threads after loading: a fork would lose all but one"})
        return
    hidden = neighbour("gpu_trial").hide_unless_it_computes(control, settings, namespaces, prepare)
    packets.send(control, {"up": os.getpid(), "gpu_hidden": hidden})
    with contextlib.suppress(BrokenPipeError):
        filled = functools.partial(package_ahead.forget_unless_here, package)
        serve(control, settings, functools.partial(child.run, settings, packets.receive, filled), namespaces)
    if not settings["walled"]:
        processes.sweep()


def serve(control: socket.socket, settings: dict, run: Callable, namespaces: ModuleType) -> None:
    """Answers requests, and has each kernel kept, until the judge is gone or a notebook's files resist."""
    started = 0
    while (message := packets.receive(control))[0] is not None:
        request, fds = message
        if request["op"] == "ping":
            packets.send(control, {"pong": request["n"]})
        elif request["op"] == "start":
            started += 1
            if started == huge_pages.WORTH_IT:
                huge_pages.collapse()
            keeping = functools.partial(keep, control, settings, request, fds, namespaces, run)
            if not (keeper.in_a_fork(keeping, fds) if settings["walled"] else keeping()):
                return


def keep(control: socket.socket, settings: dict, *about: object) -> bool:
    """Forks a kernel, and answers the judge until it ends or the next one is asked for; False if anything is left."""
    kernel = Kernel(control, settings, *about)
    while True:
        watched = [control, kernel.status, kernel.pidfd, *kernel.supervisor.asked()]
        ready, _, _ = select.select(watched, [], [], kernel.next_look_s() if kernel.going else None)
        kernel.supervisor.answer(ready)  # before the judge, so that whoever is answered knows of the kernel's end
        over = kernel.pidfd in ready
        if not over and kernel.status in ready:
            message, _ = packets.receive(kernel.status)
            over = message is None
            if message is not None:
                kernel.send_signal(message["signal"])
        elif not over and kernel.next_look_s() == 0:
            over = kernel.look() is not None
        if over:
            return kernel.end(settings)
        if control not in ready:
            continue
        match packets.next_one(control):
            case None:
                return False
            case {"op": "start"}:  # which `serve` takes
                return kernel.end(settings)
        request, _ = packets.receive(control)
        if request["op"] == "ping":
            packets.send(control, {"pong": request["n"]})
        kernel.going |= request["op"] == "go"


class Kernel:
    """A forked kernel, as its parent sees it."""

    def __init__(
        self,
        control: socket.socket,
        settings: dict,
        request: dict,
        fds: list[int],
        namespaces: ModuleType,
        run: Callable,
    ) -> None:
        granted, walled = request["watched"], settings["walled"]
        self.watch = watch.Watch(granted, self.count_started, walled, processes, open_files, mappings)
        self.supervisor = supervisor.Supervisor(granted, processes)
        self.struck, self.going, self._looked = None, False, time.monotonic()
        self.status, gate = socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1])

        def become() -> None:
            control.close()
            self.supervisor.close()
            os.setsid()  # to which Linux gives one share of the processors
            if settings["walled"]:
                sockets = [self.status, gate, self.supervisor.kernels]
                kept = [sock.fileno() for sock in sockets] + fds[2:]
                namespaces.enter(settings, kept, prepare, lambda _: self.supervisor.offer(settings["gpu"]))
            self.supervisor.kernels.close()  # or a student could answer on it
            run(request, fds[2:], self.status, gate)

        try:
            forked = namespaces.fork if settings["walled"] else fork
            self.pid = forked(functools.partial(self._exit_after, become))
        except OSError as error:
            packets.send(self.status, {"failed": str(error)})
            raise
        self.pidfd, self.started, self._last_pid = os.pidfd_open(self.pid), 0, processes.last_pid()
        with contextlib.suppress(OSError):
            packets.send(gate, {}, self.pidfd)
        gate.close()
        self.supervisor.kernels.close()
        for fd in fds[2:]:
            os.close(fd)

    def _exit_after(self, become: Callable[[], None]) -> None:
        """In the forked process: becomes a kernel, and ends with it."""
        code = 1
        try:
            become()
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 0
        except BaseException:  # noqa: BLE001  (whatever it is, the judge must hear of it, while it still may)
            with contextlib.suppress(OSError):
                packets.send(self.status, {"failed": traceback.format_exc()[-2000:]})
        finally:
            os._exit(code)

    def next_look_s(self) -> float:
        """In how many seconds the next look at its limits is due."""
        return max(0.0, self._looked + self.watch.pause_s - time.monotonic())

    def look(self) -> str | None:
        """The limit that the notebook exceeds, or None."""
        self.struck = self.watch.exceeded()
        self._looked = time.monotonic()
        return self.struck

    def count_started(self) -> int:
        """How many processes and threads have been started since the kernel was."""
        before, self._last_pid = self._last_pid, processes.last_pid()
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
            limit_s = computing_time.cpu_limit_s(self.pid)
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)  # which returns when the whole namespace is empty
            counted_s = computing_time.counted_s(self.pid)
            _, status, used = os.wait4(self.pid, 0)
            ended = {self.pid: (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)}
            if self.struck is None and ended[self.pid][0] == -signal.SIGKILL and counted_s > limit_s - SLACK_S:
                self.struck = "computing time"
            clean = True
        else:
            ended = processes.sweep()
            clean = wipe(settings)
        os.close(self.pidfd)
        self.supervisor.close()
        code, cpu_s = ended.get(self.pid, (-signal.SIGKILL, 0.0))
        with contextlib.suppress(OSError):
            packets.send(self.status, {"exit": code, "struck": self.struck, "cpu_s": cpu_s})
        self.status.close()
        return clean


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
