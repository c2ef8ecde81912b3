"""The kernel in a fork of the zygote: its own session, limits, folder and random states, then ipykernel.

Like the zygote it stands alone. Its notebook's files come to it before any cell runs. The sockets that it serves were
opened by the judge and listen already, in a folder that no student can look into; there is no connection file, and no
heartbeat, because the keeper sees the process.
"""

import atexit
import contextlib
import ctypes
import json
import logging
import marshal
import os
import random
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from types import ModuleType

import numpy as np
import zmq
from ipykernel import ipkernel, zmqshell
from ipykernel.compiler import XCachingCompiler
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell
from jupyter_client.session import DELIM
from traitlets import Type
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString
from zmq.eventloop.zmqstream import ZMQStream

LOADED = set(sys.modules)
SILENT = logging.getLogger(__name__)  # nobody reads what a kernel logs
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
ARGUMENT = re.compile(r"--(\w+)\.(\w+)=(.*)")
# What a course's kernels are started with, so the shell that is made before the fork has these settings, too. The last
# one is nbclient's, the others are those of grading/gradebook/configuration.py.
ARGUMENTS = ["--HistoryManager.enabled=False", "--IPKernelApp.log_level=40", "--HistoryManager.hist_file=:memory:"]
CHANNELS = ("shell_port", "iopub_port")  # in the order of the sockets
PIECE_BYTES = 2**16  # of a file, copied at once; a shorter reply is copied, too
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
REQUEST, REPLY = "grading_request", "grading_reply"  # types of messages: from a hidden test, and back
# In each message. ZeroMQ 4.3 answers a PING of 5 or 6 bytes with up to 23 bytes of what its memory for a small frame
# held before. So one of the first frames that the judge reads is longer than that, and holds what all may know.
FILL = {"": " " * 24}
NEXT_MS = 50  # how long the next request is waited for; the judge has computed what is right by then


def run(
    settings: dict,
    receive: Callable,
    filled: Callable[[], None],
    own_limits: ModuleType,
    request: dict,
    listening: list[int],
    status: socket.socket,
    gate: socket.socket,
) -> None:
    """Becomes a kernel, which begins when its folder has come through the gate; returns when asked to shut down.

    `filled` is called when the folder is complete.
    """
    prctl = ctypes.CDLL(None).prctl
    if not settings["walled"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.chdir(settings["folder"])
    os.environ.update(request["env"])
    sys.argv = ["ipykernel_launcher"]
    sys.path.insert(0, "")
    own_limits.set_at_once(request["limits"])
    ipkernel.sys = NoModules()
    prctl(PR_SET_DUMPABLE, 1)  # unlike the zygote an ordinary process, which can read its own /proc/self
    app = WalledKernelApp.instance()
    app.listening, app.session.key, app.session.metadata = listening, request["key"].encode(), FILL
    app.initialize(request["argv"])
    app.shell.ask_exit = lambda: None  # after exit() in a cell the kernel would end while the next cells run
    with gate:
        while (message := receive(gate))[0] is not None:
            if "seed" in message[0]:
                draw_from(message[0]["seed"])
            else:
                put(message[0]["path"], *message[1])
    sys.path_importer_cache.pop(os.getcwd(), None)  # what was known of a folder that was empty until now
    own_limits.set_by_user(request["limits"])
    filled()
    if request["granted_bytes"] is not None:
        own_limits.limit_addresses(request["granted_bytes"], request["watched"]["memory_bytes"])
    status.close()  # from here on student code runs: its only way to the judge is its kernel's messages
    app.start()


def make_shell(run_command: Callable[[str], int]) -> None:
    """Makes the application that each kernel starts with, and the shell that it takes over; it runs commands so.

    So a kernel finds them in memory that all share, and need not make its own. Nothing of a notebook's is in them.
    """
    zmqshell.system = run_command
    WalledKernelApp.instance(log=SILENT)
    with tempfile.TemporaryDirectory() as folder:
        made = ZMQInteractiveShell.instance(
            ipython_dir=folder, config=configured(ARGUMENTS), compiler_class=XCachingCompiler
        )
    atexit.unregister(made.atexit_operations)


def configured(arguments: list[str]) -> Config | None:
    """The configuration by arguments that set one trait each; None if any of them is another."""
    found = [ARGUMENT.fullmatch(argument) for argument in arguments]
    if not all(found):
        return None
    config = Config()
    for owner, name, value in (match.groups() for match in found):
        config[owner][name] = DeferredConfigString(value)
    return config


def take_over(shell: ZMQInteractiveShell, kernel: IPythonKernel) -> None:
    """Adapts the shell made before the fork to this kernel: what depends on its process, its folder and its streams."""
    shell.parent = shell.kernel = kernel
    shell.profile_dir, shell.ipython_dir = kernel.profile_dir, kernel.parent.ipython_dir
    shell.starting_dir = os.getcwd()
    shell.history_manager.reset(new_session=False)  # whose first folder is this one
    shell.sys_excepthook = sys.excepthook
    shell.save_sys_module_state()


def draw_from(seed: int) -> None:
    """Seeds all random numbers with a number from 0 to 2**64 - 1, so that a notebook's run can be repeated."""
    random.seed(seed)
    np.random.seed([seed >> 32, seed & 0xFFFFFFFF])
    if (torch := sys.modules.get("torch")) is not None:  # for all devices it takes 10 ms
        (torch if os.path.exists("/dev/nvidiactl") else torch.default_generator).manual_seed(seed)


def put(path: str, fd: int) -> None:
    """Copies an open file into the notebook's folder; one that finds no room is left out."""
    try:
        if (folder := os.path.dirname(path)) and not os.path.isdir(folder):
            os.makedirs(folder)
        with open(path, "wb", buffering=0) as copy:
            while piece := os.read(fd, PIECE_BYTES):
                while piece:
                    piece = piece[copy.write(piece) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(path)
    finally:
        os.close(fd)


class NoModules:
    """`sys` for ipykernel, without modules: asking each for its file would copy the memory that it lies in."""

    modules: dict[str, ModuleType] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(sys, name)


class NoThread:
    """In place of ipykernel's thread that hands requests on to the main one, which serves the socket itself."""

    def __init__(self) -> None:
        self.parent_thread = threading.main_thread()  # in which a cell that awaits is interrupted

    def __bool__(self) -> bool:
        return False


class WalledKernel(IPythonKernel):
    """A kernel that also answers the requests of hidden tests, in a namespace that no name of the student's can hide.

    The first request brings the code that answers, `wire` and `remote`, compiled by the same Python.
    """

    answering: dict[str, ModuleType] = {}
    _supports_kernel_subshells = False  # all requests come to the main thread, without a thread that hands them on

    def __init__(self, **given: object) -> None:
        made_ahead = given["parent"].config == configured(ARGUMENTS)
        if not made_ahead:
            ZMQInteractiveShell.clear_instance()  # so that one is made with other settings
        super().__init__(**given)
        if made_ahead:
            take_over(self.shell, self)

    async def dispatch_shell(self, msg: list[zmq.Frame], /, *args: object, **kwargs: object) -> None:
        """As ipykernel does; but a request has a reply and nothing else, because nobody reads when a kernel is busy.

        Most requests follow soon upon another, and are waited for here: ipykernel's loop takes longer than an answer.
        """
        while (request := self.asked(msg)) is not None:
            self.pre_handler_hook()  # from here to its counterpart an interrupt is heard
            try:
                self.answer(request)
            except (Exception, KeyboardInterrupt):  # noqa: BLE001  (the judge, who waits, has a clock)
                SILENT.exception("No reply.")
            finally:
                self.post_handler_hook()
            if not self.shell_stream.socket.poll(NEXT_MS):
                self.shell_stream.flush()  # what has come by now: the loop would not hear of it
                return
            msg = self.shell_stream.socket.recv_multipart(copy=False)
        await super().dispatch_shell(msg, *args, **kwargs)
        self.shell_stream.flush()

    def asked(self, msg: list[zmq.Frame]) -> dict | None:
        """The request of a hidden test that a message is; None for all others."""
        try:
            _, (_, header, _, _, content, *buffers) = self.session.feed_identities(msg, copy=False)
            if (header := json.loads(header.bytes))["msg_type"] == REQUEST:
                return {"header": header, "content": json.loads(content.bytes), "buffers": buffers}
        except Exception:  # noqa: BLE001  (whatever comes: what is no message is ipykernel's to drop)
            SILENT.exception("No message.")
        return None

    def answer(self, message: dict) -> None:
        """Sends the reply to a request."""
        sent, *code = map(bytes, message["buffers"])
        for name, compiled in zip(("wire", "remote"), code, strict=False):  # none after the first request
            self.answering[name] = ModuleType(name)
            vars(self.answering[name]).update(self.answering)
            exec(marshal.loads(compiled), vars(self.answering[name]))
        reply = self.answering["remote"].answer(sent, self.shell.user_ns)
        header, content = json.dumps({"msg_type": REPLY}), json.dumps({"token": message["content"]["token"]})
        unsigned = [DELIM, b"", header.encode(), b"{}", b"{}", content.encode(), reply]  # the student has the key, too
        self.iopub_socket.send_multipart([REPLY.encode(), *unsigned], copy=len(reply) < PIECE_BYTES)


class WalledKernelApp(IPKernelApp):
    """An IPython kernel on sockets that were handed over.

    What it leaves out took half of a kernel's start: most of it reads or counts references to what all kernels share,
    and of each page that it touches a kernel gets a copy.
    """

    listening: list[int] = []
    kernel_class = Type(WalledKernel)

    def parse_command_line(self, argv: list[str] | None = None) -> None:
        """Reads arguments that set one trait each, without a parser for all that there could be."""
        config = configured(argv or [])
        if config is None:
            super().parse_command_line(argv)
        else:
            self.update_config(config)

    def load_config_file(self, *_: object, **__: object) -> None:
        """Reads nothing: there is no configuration in a home that was made a moment ago."""

    def init_code(self) -> None:
        """Runs nothing: there is no profile. What is loaded was noted before the fork."""
        self.shell.user_ns_hidden.update(self.shell.user_ns)
        self.shell._sys_modules_keys = LOADED

    def _configure_logging(self) -> None:
        """Leaves all loggers as they are."""

    def init_connection_file(self) -> None:
        """Numbers the sockets; the names of their files mean nothing here."""
        self.transport, self.ip = "ipc", "kernel"
        for port, name in enumerate(CHANNELS, start=1):
            setattr(self, name, port)

    def _try_bind_socket(self, s: zmq.Socket, port: int) -> int:
        if not port:  # the one for input, which nobody enters
            return port
        s.setsockopt(zmq.USE_FD, self.listening[port - 1])
        s.setsockopt(zmq.HANDSHAKE_IVL, 0)  # the judge, who connects once, has a clock
        s.bind(f"ipc://{self.ip}-{port}")
        return port

    def init_control(self, context: zmq.Context) -> None:
        """Opens nothing: what controls a kernel is signals, and no debugger is connected."""

    def init_kernel(self) -> None:
        """As ipykernel does, but without the streams and the thread for control and a debugger."""
        taken_over = "session iopub_thread iopub_socket stdin_socket log profile_dir user_ns".split()
        given = {name: getattr(self, name) for name in taken_over}
        given |= {"shell_stream": ZMQStream(self.shell_socket), "shell_channel_thread": NoThread()}
        self.kernel = self.kernel_class.instance(parent=self, **given)
        self.displayhook.get_execution_count = lambda: self.kernel.execution_count

    def write_connection_file(self, **_: object) -> None:
        """Writes nothing."""

    def init_heartbeat(self) -> None:
        """Starts nothing."""
