"""The door to a student's kernel: a hidden test's requests go in over Jupyter's messages, replies come out as bytes.

The kernel is the student's and may send anything, at any time, of any size, or nothing: a reply is looked at only as
bytes, the judge holds the clock, and what comes late ends the kernel.
"""

import marshal
import secrets
import time
from pathlib import Path
from queue import Empty

from jupyter_client.utils import ensure_async
from nbclient import NotebookClient
from nbclient.util import run_sync

from grading import far, limits, messages, wire
from grading.inbound import REPLY
from grading.probe import Reason, Why

# What runs in the kernel: `wire` and `far`, compiled here by the same Python, once; and for each request, what hands it
# to them.
_FAR = Path(far.__file__).read_text(encoding="utf-8").replace("from grading import wire\n", "")
_SOURCES = (Path(wire.__file__).read_text(encoding="utf-8"), _FAR)
_BOOT = tuple(marshal.dumps(compile(source, "<string>", "exec")) for source in _SOURCES)
_ASK = """
def _ask(token):
    import marshal, sys, types
    kernel = get_ipython().kernel
    parent = kernel.get_parent("shell")
    names = get_ipython().user_ns
    del names["_ask"]
    request, *boot = map(bytes, parent["buffers"])
    if boot:
        wire, far = types.ModuleType("wire"), types.ModuleType("far")
        far.wire = wire
        for module, code in zip((wire, far), boot):
            exec(marshal.loads(code), vars(module))
        sys.modules["attention_far"] = far
    reply = sys.modules["attention_far"].answer(request, names)
    kernel.session.send(kernel.iopub_socket, "REPLY", {"token": token}, parent=parent, buffers=[reply])
_ask("TOKEN")
""".replace("REPLY", REPLY)


class KernelDoor:
    """Where `probe` sends its requests while a notebook's kernel runs."""

    def __init__(self, client: NotebookClient) -> None:
        self.client, self.spent_s, self.closed, self.booted = client, 0.0, None, False

    def ask(self, request: bytes, limit_s: float) -> bytes | Reason:
        """The reply's bytes, or the reason why there is none; after the kernel's end always that."""
        if self.closed is None and self.spent_s > limits.TESTS_LIMIT_S:
            self.closed = Reason(Why.TIME, messages.out_of_time(limits.TESTS_LIMIT_S))
        if self.closed is not None:
            return self.closed
        started = time.monotonic()
        try:
            return run_sync(self._ask)(request, limit_s)
        finally:
            self.spent_s += time.monotonic() - started

    async def _ask(self, request: bytes, limit_s: float) -> bytes | Reason:
        token, client = secrets.token_hex(16), self.client.kc
        boot, self.booted = () if self.booted else _BOOT, True
        content = {
            "code": _ASK.replace("TOKEN", token),
            "silent": True,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
        }
        message = client.session.msg("execute_request", {**content, "stop_on_error": False})
        client.session.send(client.shell_channel.socket, message, buffers=[request, *boot])
        for last_call in (False, True):
            reply = await self._reply(token, limit_s + limits.GRACE_S if not last_call else limits.GRACE_S)
            if reply is not None:
                return reply
            if self.closed is not None:
                return self.closed
            await ensure_async(self.client.km.interrupt_kernel())
        await ensure_async(self.client.km.shutdown_kernel(now=True))
        self.closed = Reason(Why.TIME, messages.out_of_time(limit_s))
        return self.closed

    async def _reply(self, token: str, limit_s: float) -> bytes | None:
        """The reply that carries the token, if it comes in time; everything else that comes is dropped."""
        end = time.monotonic() + limit_s
        while (left := end - time.monotonic()) > 0:
            try:
                message = await ensure_async(self.client.kc.iopub_channel.get_msg(timeout=min(left, 0.5)))
            except Empty:
                if not await ensure_async(self.client.km.is_alive()):
                    self.closed = Reason(Why.DIED, messages.died())
                    return None
                continue
            if message["msg_type"] == REPLY and message["content"]["token"] == token:
                return b"".join(message["buffers"])
        return None
