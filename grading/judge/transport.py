"""The way to a student's kernel: a hidden test's requests go in over Jupyter's messages, replies come out as bytes.

The kernel is the student's and may send anything, at any time, of any size, or nothing: a reply is looked at only as
bytes, the judge holds the clock, and what comes late ends the kernel. A request is a message of a type of its own,
answered by `sandbox.child`, so that it runs apart from the student's names.
"""

import marshal
import secrets
import time
from pathlib import Path

from jupyter_client.utils import ensure_async
from nbclient import NotebookClient
from nbclient.util import run_sync

from grading.bridge import capture, remote, wire
from grading.bridge.reasons import Reason, Why
from grading.core import limit_messages, limits
from grading.judge.incoming import REPLY
from grading.marking import budget
from grading.sandbox.clock import LOOK_S, Deadline

REQUEST = "grading_request"  # the type of the message that carries a request
# What answers in the kernel: `wire`, `capture` and `remote` of `bridge`, compiled here by the same Python, once.
_IMPORT = "from grading.bridge import capture, wire\n"
_WIRE, _CAPTURE, _REMOTE = (Path(module.__file__).read_text(encoding="utf-8") for module in (wire, capture, remote))
if _IMPORT not in _REMOTE:
    raise ImportError(f"{remote.__file__} does not say {_IMPORT!r}, which the student's side has in another way")
_BOOT = tuple(
    marshal.dumps(compile(source, "<string>", "exec")) for source in (_WIRE, _CAPTURE, _REMOTE.replace(_IMPORT, ""))
)


class KernelTransport:
    """Where `probe` sends its requests while a notebook's kernel runs."""

    def __init__(self, client: NotebookClient) -> None:
        self.client, self.spent_s, self.closed, self.booted = client, 0.0, None, False

    def ask(self, request: bytes, limit_s: float) -> bytes | Reason:
        """The reply's bytes, or the reason why there is none; after the kernel's end always that."""
        if self.closed is None and self.spent_s > limits.TESTS_LIMIT_S:
            self.closed = Reason(Why.TIME, limit_messages.out_of_time(limits.TESTS_LIMIT_S))
        if self.closed is not None:
            return self.closed
        with budget.aside(None):  # a request has limits of its own
            return self._ask(request, limit_s)

    def _ask(self, request: bytes, limit_s: float) -> bytes | Reason:
        token, client = secrets.token_hex(16), self.client.kc
        boot, self.booted = () if self.booted else _BOOT, True
        message = client.session.msg(REQUEST, {"token": token})
        client.shell_channel.send({**message, "buffers": [request, *boot]})
        for own_limit_s in (limit_s, 0.0):
            reply = self._reply(token, own_limit_s + limits.GRACE_S)
            if reply is not None:
                return reply
            if self.closed is not None:
                return self.closed
            _settled(self.client.km.interrupt_kernel())
        _settled(self.client.km.shutdown_kernel(now=True))
        self.closed = Reason(Why.TIME, limit_messages.out_of_time(limit_s))
        return self.closed

    def _reply(self, token: str, limit_s: float) -> bytes | None:
        """The reply that carries the token, if it comes in time; everything else that comes is dropped.

        No event loop runs meanwhile: to go through it took half of what a request computed here.
        Errors  RuntimeError if the kernel ended through no fault of the student's: then nothing is marked.
        """
        end = Deadline(self.client.kc.clock, limit_s)
        outputs, requests, looked = self.client.kc.iopub_channel, self.client.kc.shell_channel, time.monotonic()
        try:
            while (pause_s := end.pause()) > 0:
                came, message = outputs.taken()
                if message and message["msg_type"] == REPLY and message["content"]["token"] == token:
                    return b"".join(message["buffers"])
                came = came or outputs.wait(pause_s, requests)
                if came and time.monotonic() - looked < LOOK_S:
                    continue
                looked = time.monotonic()
                if not _settled(self.client.km.is_alive()):
                    self.client.km.raise_if_ours()
                    self.closed = Reason(Why.DIED, limit_messages.died(self.client.km.struck))
                    return None
            return None
        finally:
            self.spent_s += end.spent()


_settled = run_sync(ensure_async)  # what a method of a kernel manager gives, waited for
