"""The kernel in a fork of the zygote: its own session, limits, folder and random states, then ipykernel.

Like the zygote it stands alone. Its notebook's files come to it before any cell runs. Of the two sockets that it serves
the judge holds the other ends; there is no connection file, and no heartbeat, because the keeper sees the process.
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
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import numpy as np
import zmq
from ipykernel import zmqshell
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell
from jupyter_client.session import DELIM
from traitlets import Any, Type
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString

LOADED = set(sys.modules)
SILENT = logging.getLogger(__name__)  # nobody reads what a kernel logs
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
ARGUMENT = re.compile(r"--(\w+)\.(\w+)=(.*)")
# What a course's kernels are started with, so what is made before the fork has these settings, too. The last
# one is nbclient's, the others are those of grading/gradebook/configuration.py.
ARGUMENTS = ["--HistoryManager.enabled=False", "--IPKernelApp.log_level=40", "--HistoryManager.hist_file=:memory:"]
PIECE_BYTES = 2**16  # of a file, copied at once
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
REQUEST, REPLY = "grading_request", "grading_reply"  # types of messages: from a hidden test, and back
NEXT_MS = 50  # how long the next request is waited for; the judge has computed what is right by then


def run(
    settings: dict,
    receive: Callable,
    package: object,
    own_limits: ModuleType,
    request: dict,
    channels: list[int],
    status: socket.socket,
    gate: socket.socket,
) -> None:
    """Becomes a kernel, which begins when its folder has come through the gate; returns when asked to shut down."""
    prctl = ctypes.CDLL(None).prctl
    if not settings["walled"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.chdir(settings["folder"])
    os.environ.update(request["env"])
    sys.argv = ["ipykernel_launcher"]
    sys.path.insert(0, "")
    own_limits.set_at_once(request["limits"])
    prctl(PR_SET_DUMPABLE, 1)  # unlike the zygote an ordinary process, which can read its own /proc/self
    app = application(request["argv"])
    app.connect(channels)
    with gate:
        while (message := receive(gate))[0] is not None:
            if "seed" in message[0]:
                draw_from(message[0]["seed"])
            elif "package" in message[0]:
                package.put()
            else:
                put(message[0]["path"], *message[1])
    sys.path_importer_cache.pop(os.getcwd(), None)  # what was known of a folder that was empty until now
    own_limits.set_by_user(request["limits"])
    package.forget_unless_here()
    if request["granted_bytes"] is not None:
        own_limits.limit_addresses(request["granted_bytes"], request["watched"]["memory_bytes"])
    status.close()  # from here on student code runs: its only way to the judge is its kernel's messages
    app.start()


def make_kernel(run_command: Callable[[str], int], **modules: ModuleType) -> None:
    """Makes the application, the kernel and the shell that each fork begins with, of files next to this one.

    So a kernel finds them in memory that all share, and need not make its own. Nothing of a notebook's is in them.
    """
    zmqshell.system = run_command
    WalledKernelApp.parts = SimpleNamespace(**modules)
    application(ARGUMENTS)


def application(argv: list[str]) -> "WalledKernelApp":
    """The application that was made with these arguments; if that was with others, a new one."""
    if WalledKernelApp.initialized() and (config := configured(argv)) is not None:
        made = WalledKernelApp.instance()
        if made.made_with == config:
            return made
    for singleton in (WalledKernelApp, WalledKernel, ZMQInteractiveShell):
        singleton.clear_instance()
    made = WalledKernelApp.instance(log=SILENT)
    made.ipython_dir = os.path.expanduser("~/.ipython")
    os.makedirs(made.ipython_dir)
    made.initialize(argv)
    shutil.rmtree(made.ipython_dir)  # each kernel has a home of its own
    made.made_with = configured(argv)
    atexit.unregister(made.shell.atexit_operations)
    return made


def configured(arguments: list[str]) -> Config | None:
    """The configuration by arguments that set one trait each; None if any of them is another."""
    found = [ARGUMENT.fullmatch(argument) for argument in arguments]
    if not all(found):
        return None
    config = Config()
    for owner, name, value in (match.groups() for match in found):
        config[owner][name] = DeferredConfigString(value)
    return config


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


class NoThread:
    """In place of ipykernel's thread that hands requests on to the main one, which serves the socket itself."""

    @property
    def parent_thread(self) -> threading.Thread:
        """In which a cell that awaits is interrupted: another one in each fork."""
        return threading.main_thread()

    def __bool__(self) -> bool:
        return False


class WalledKernel(IPythonKernel):
    """A kernel that also answers the requests of hidden tests, in a namespace that no name of the student's can hide.

    The first request brings the code that answers, `wire`, `capture` and `remote`, compiled by the same Python.
    """

    shell_stream = Any()
    _execute_sleep = 0.0  # outputs have gone when the reply does
    answering: dict[str, ModuleType] = {}
    _supports_kernel_subshells = False  # all requests come to the main thread, without a thread that hands them on

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
            if not self.shell_stream.comes(NEXT_MS):
                return
            msg = self.shell_stream.recv_multipart()
        await super().dispatch_shell(msg, *args, **kwargs)
        self.iopub_socket.finish()

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
        for name, compiled in zip(("wire", "capture", "remote"), code, strict=False):  # none after the first request
            self.answering[name] = ModuleType(name)
            vars(self.answering[name]).update(self.answering)
            exec(marshal.loads(compiled), vars(self.answering[name]))
        reply = self.answering["remote"].answer(sent, self.shell.user_ns)
        header, content = json.dumps({"msg_type": REPLY}), json.dumps({"token": message["content"]["token"]})
        self.iopub_socket.send_multipart([DELIM, b"", header.encode(), b"{}", b"{}", content.encode(), reply])
        self.iopub_socket.finish()


class WalledKernelApp(IPKernelApp):
    """An IPython kernel, made before the fork, on sockets that are handed over after it.

    What it leaves out took half of a kernel's start: most of it reads or counts references to what all kernels share,
    and of each page that it touches a kernel gets a copy.
    """

    parts: SimpleNamespace  # modules, by name: see `make_kernel`
    made_with: Config | None = None
    kernel_class, outstream_class = Type(WalledKernel), None

    def connect(self, channels: list[int]) -> None:
        """Begins to be a kernel, in the process and the folder that it will have, on the sockets of its channels."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.session.pid = os.getpid()
        os.makedirs(self.profile_dir.location)
        for channel, fd in zip((self.kernel.shell_stream, self.iopub_thread), channels, strict=True):
            channel.connect(fd)
        self.iopub_thread.capture(sys.stdout, sys.stderr)
        self.shell.starting_dir = os.getcwd()
        self.shell.history_manager.reset(new_session=False)  # whose first folder is this one
        self.shell.save_sys_module_state()

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
        """Runs nothing: there is no profile."""
        self.shell.user_ns_hidden.update(self.shell.user_ns)
        self.shell._sys_modules_keys = LOADED
        self.parts.cell_reading.Reader(self.shell).take_over()
        self.shell.ask_exit = lambda: None  # after exit() in a cell the kernel would end while the next cells run

    def init_path(self) -> None:
        """Adds nothing: it is the zygote's path, too."""

    def init_signal(self) -> None:
        """Ignores nothing yet: the zygote is to end with Ctrl-C."""

    def _configure_logging(self) -> None:
        """Leaves all loggers as they are."""

    def init_connection_file(self) -> None:
        """Reads no file: the sockets are handed over."""

    def init_sockets(self) -> None:
        """Makes the two channels, which nobody is connected to yet."""
        self.session.key = b""  # a signature would say nothing: the kernel is the student's, its key would be, too
        self.iopub_thread = self.iopub_socket = self.parts.kernel_channels.IOPub(self.parts.frames)
        logging.getLogger("tornado").addHandler(logging.NullHandler())  # else Tornado adds one for all that is logged

    def log_connection_info(self) -> None:
        """Tells nobody how to connect."""

    def init_io(self) -> None:
        """As ipykernel does, with streams whose descriptors are redirected in the kernel alone."""
        for name in self.parts.kernel_channels.STREAMS:
            setattr(sys, name, self.parts.kernel_channels.Output(self.session, self.iopub_thread, name))
        super().init_io()

    def init_kernel(self) -> None:
        """As ipykernel does, but without the streams and the thread for control and a debugger."""
        taken_over = "session iopub_thread iopub_socket log profile_dir user_ns".split()
        given = {name: getattr(self, name) for name in taken_over}
        given["shell_stream"] = self.parts.kernel_channels.Shell(self.parts.frames)
        given["shell_channel_thread"] = NoThread()
        given["compiler_class"] = self.parts.cell_names.Compiler
        self.kernel = self.kernel_class.instance(parent=self, **given)
        self.displayhook.get_execution_count = lambda: self.kernel.execution_count

    def write_connection_file(self, **_: object) -> None:
        """Writes nothing."""

    def init_heartbeat(self) -> None:
        """Starts nothing."""
