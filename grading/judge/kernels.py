"""Jupyter kernels in sandboxes, for nbgrader's Execute by configuration alone: nothing is installed or written for it.

    Execute(kernel_manager_class=kernels.KernelManager)

A manager's `pool` is where its sandboxes come from; without one all walls stand, and no library is loaded before.
"""

import asyncio
import signal
import socket
from importlib.metadata import EntryPoint
from pathlib import Path
from queue import Empty

from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerBase, KernelProvisionerFactory
from traitlets import Type, default

from grading.core import limit_messages, limits
from grading.judge import channel, limits_reached
from grading.sandbox import frames, gpu_trial, host
from grading.sandbox.allowance import Allowance
from grading.sandbox.clock import Clock, Deadline
from grading.sandbox.kept_sandboxes import Pool

NAME = "walled"
PASSED_ON = ("NBGRADER_EXECUTION", "NBGRADER_VALIDATING")  # variables by which nbgrader tells a notebook what runs it
START_LIMIT_S = 60.0  # from the fork to the kernel's first reply; 0.1 s on a quiet machine


class Provisioner(KernelProvisionerBase):
    """Jupyter's way to a kernel process: here a fork inside a sandbox."""

    kernel: host.Kernel | None = None
    box: host.Sandbox | None = None

    @property
    def has_process(self) -> bool:
        """Whether there is a kernel to look after, running or ended."""
        return self.kernel is not None

    async def pre_launch(self, **kwargs: object) -> dict:
        """Notes the folder whose files the kernel gets."""
        extra = kwargs.pop("extra_arguments", [])
        folder = kwargs.pop("cwd", None)
        kwargs = await super().pre_launch(cmd=[NAME, *extra], **kwargs)
        return {**kwargs, "cwd": Path(folder).resolve() if folder else None}

    async def launch_kernel(self, cmd: list[str], **kwargs: object) -> KernelConnectionInfo:
        """Forks the kernel; its channels are there already, so clients may use them at once."""
        manager, folder = self.parent, kwargs["cwd"]
        self.box = manager.pool.take()
        env = {name: kwargs["env"][name] for name in PASSED_ON if name in kwargs["env"]}
        env |= {} if manager.gpu else {gpu_trial.VISIBLE: ""}
        self.kernel = self.box.start(folder, cmd[1:], env, manager.seed, manager.allowance, manager.package)
        manager.session.key = b""  # a signature would say nothing: the kernel is the student's, its key would be, too
        manager.session.username = NAME  # in the header of each message; the default is the grader's own
        self.connection_info = manager.get_connection_info()
        return self.connection_info

    async def poll(self) -> int | None:
        """None while the kernel runs; also where the judge's clocks are looked at, once a second."""
        if self.kernel is None:
            return 0
        code = self.kernel.poll()
        if code is not None:
            self.parent.ended(self.kernel)
        return code

    async def wait(self) -> int | None:
        """The exit code, once the kernel has ended."""
        while (code := await self.poll()) is None:
            await asyncio.sleep(0.01)
        self.kernel = None
        return code

    async def send_signal(self, signum: int) -> None:
        """Signals the kernel; SIGKILL ends all that it started, too."""
        if self.kernel is not None and signum == signal.SIGKILL:
            self.kernel.let_end()  # the sandbox waits for it before the next notebook
        elif self.kernel is not None and not self.parent.shutting_down:  # an interrupt first would only cost its time
            self.kernel.signal(signum)

    async def kill(self, restart: bool = False) -> None:
        """Ends the kernel and all that it started."""
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        """The same: a kernel of a student's is not asked twice."""
        await self.send_signal(signal.SIGKILL)

    def get_shutdown_wait_time(self, recommended: float = 5.0) -> float:
        """Seconds for a kernel that is asked to end by itself."""
        return min(recommended, 2.0)

    async def cleanup(self, restart: bool = False) -> None:
        """Ends what still runs; the sandbox goes back to the pool."""
        await self.kill()
        await self.wait()
        box, self.box = self.box, None
        if box is not None:
            self.parent.pool.give_back(box)


class KernelClient(AsyncKernelClient):
    """A client that is ready when the kernel says so, not after 0.2 s of silence; of shell and iopub alone."""

    shell_channel_class = Type(channel.Replies)
    iopub_channel_class = Type(channel.Channel)

    def start_channels(self, shell=True, iopub=True, stdin=True, hb=True, control=True) -> None:
        """Takes over the judge's ends of shell and iopub."""
        ends = self.parent.provisioner.kernel.channels() or _of_nobody()
        kinds = (self.shell_channel_class, self.iopub_channel_class)
        both = [kind(end, self.session) for kind, end in zip(kinds, ends, strict=True)]
        self._shell_channel, self._iopub_channel = both
        for started in both:
            started.clock, started.end = self.clock, self.parent.end
        self.allow_stdin = False

    def stop_channels(self) -> None:
        """Closes both; Jupyter's own first makes those that were never used."""
        for started in filter(None, (self._shell_channel, self._iopub_channel)):
            started.stop()

    @property
    def clock(self) -> Clock:
        """The own time of what runs in the kernel's sandbox."""
        return self.parent.provisioner.box.clock

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Waits until the kernel replies.

        Errors  RuntimeError if the kernel ends before that, or takes longer than the limit.
        """
        end = Deadline(self.clock, timeout or START_LIMIT_S)
        self.kernel_info()
        self.shell_channel.kept = await self._introduction(end)

    def kernel_info(self) -> str:
        """Asks what the kernel is, and gives the request's id; nbclient, which asks once more, gets the same reply."""
        kept = self.shell_channel.kept
        return kept["parent_header"]["msg_id"] if kept else super().kernel_info()

    async def responds(self, limit_s: float) -> bool:
        """Whether the kernel is ready for the next cell within the limit, as after an interrupt."""
        asked, end = self.kernel_info(), Deadline(self.clock, limit_s)
        dropping = asyncio.ensure_future(self._drop_outputs())  # or a cell that prints on and on waits for room
        try:
            while (pause := end.pause()) > 0:
                try:
                    reply = await self.shell_channel.get_msg(timeout=pause)
                except Empty:
                    continue
                if reply["parent_header"].get("msg_id") == asked:
                    return True
            return False
        finally:
            dropping.cancel()

    async def _drop_outputs(self) -> None:
        while True:
            await self.iopub_channel.get_msg()

    async def revived(self) -> bool:
        """Whether the kernel, after an interrupt, is ready for the next cell; one that is not is ended."""
        if await self.responds(limits.RESPONSE_LIMIT_S):
            return True
        await self.parent.shutdown_kernel(now=True)
        return False

    async def _introduction(self, end: Deadline) -> dict:
        while True:
            try:
                if (message := await self.shell_channel.get_msg(timeout=0.5))["msg_type"] == "kernel_info_reply":
                    return message
            except Empty:
                if not await self.parent.is_alive():
                    kernel = self.parent.provisioner.kernel
                    why = kernel.failure or (limit_messages.why_ended(kernel.struck) if kernel.struck else "")
                    raise RuntimeError(f"The kernel ended before it was ready. {why}".strip()) from None
                if end.left() == 0:
                    raise RuntimeError("The kernel did not become ready in time.") from None


def _of_nobody() -> tuple[socket.socket, socket.socket]:
    """What stands for the channels of a kernel that has ended: nothing comes, and nothing is taken."""
    ends = [socket.socketpair(socket.AF_UNIX, frames.KIND) for _ in range(2)]
    for _, theirs in ends:
        theirs.close()
    return tuple(ours for ours, _ in ends)


class KernelManager(AsyncKernelManager):
    """Starts kernels in sandboxes, whatever kernel a notebook names."""

    client_factory = Type(KernelClient, klass=AsyncKernelClient, config=True)
    pool: Pool  # that its sandboxes come from; its maker sets it, and closes it
    seed: int | None = None  # what the kernel's random numbers follow from, from 0 to 2**64 - 1; None: nobody knows
    gpu = True  # whether it may use one
    allowance: Allowance | None = None  # what its submission's notebooks have together; None: only the notebook's limit
    package = False  # whether its sandbox puts the course's package into the kernel's folder
    struck: limits.EndedBy | None = None  # the limit that ended the last kernel

    @property
    def kernel_spec(self) -> KernelSpec:
        """A specification that lies on no disk."""
        metadata = {"kernel_provisioner": {"provisioner_name": NAME}}
        return KernelSpec(argv=[NAME], display_name="Python 3", language="python", metadata=metadata)

    @default("cache_ports")
    def _default_cache_ports(self) -> bool:
        return False

    def write_connection_file(self, **_: object) -> None:
        """Writes nothing: nobody else is to connect."""

    def _connect_control_socket(self) -> None:
        """Connects to nothing: a kernel is asked for its end by nobody, but ended."""

    async def shutdown_kernel(self, now: bool = True, restart: bool = False) -> None:
        """Ends the kernel at once."""
        await super().shutdown_kernel(now=True, restart=restart)

    def end(self) -> None:
        """Ends the kernel and all that it started."""
        if self.provisioner is not None and self.provisioner.kernel is not None:
            self.provisioner.kernel.stop()

    def strike(self) -> None:
        """Kills the kernel and its sandbox, from whatever thread."""
        kernel = self.provisioner.kernel if self.provisioner is not None else None
        if kernel is not None:
            kernel.box.kill()

    def ended(self, kernel: host.Kernel) -> None:
        """Remembers how a kernel ended."""
        self.struck = kernel.struck
        if self.struck is limits.EndedBy.KILLED:
            limits_reached.note_killed()

    def raise_if_ours(self) -> None:
        """Errors  RuntimeError if the last kernel ended through no fault of the student's."""
        if self.struck is not None and self.struck.is_ours:
            raise RuntimeError(limit_messages.why_ended(self.struck)) from None


KernelProvisionerFactory.provisioners[NAME] = EntryPoint(
    NAME, f"{__name__}:{Provisioner.__name__}", KernelProvisionerFactory.GROUP_NAME
)
