"""A kernel that stands in for a student's, in a thread of this process: on the same sockets, without a sandbox.

At a moment of the case's choice it can write what no kernel would. Until then, and afterwards if it lives, it answers
as ipykernel does.
"""

import contextlib
import json
import marshal
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable
from types import MappingProxyType

from jupyter_client.session import DELIM

from grading.bridge import remote
from grading.core.limits import EndedBy
from grading.judge import incoming, transport
from grading.sandbox import frames
from grading.sandbox.clock import Clock

CHANNELS = ("shell", "iopub")  # in the order of the sockets
WRITE_LIMIT_S = 0.2  # a judge that takes nothing for so long is not written to any more


class Peer:
    """The kernel's end of a channel."""

    def __init__(self, sock: socket.socket, channel: str) -> None:
        self.sock, self.channel, self.coming = sock, channel, frames.Unpacked(most=1000, room=2**32)
        sock.settimeout(WRITE_LIMIT_S)

    def write(self, data: bytes) -> None:
        """Sends bytes in packets; OSError if the judge has closed the connection or takes none."""
        for at in range(0, len(data), frames.PACKET_BYTES):
            self.sock.send(data[at : at + frames.PACKET_BYTES])


class Kernel:
    """What the judge holds of a kernel: as `sandbox.Kernel`, without a process."""

    def __init__(self, box: "Box", spoil: Callable[["Kernel", str], None]) -> None:
        self.box, self.spoil = box, spoil
        self.returncode: int | None = None
        self.struck: EndedBy | None = None
        self.failure, self.names, self.asked = "", {"print": self.print}, b"{}"
        pairs = [socket.socketpair(socket.AF_UNIX, frames.KIND) for _ in CHANNELS]
        self._ends = [judges for judges, _ in pairs]
        self.peers = {name: Peer(own, name) for name, (_, own) in zip(CHANNELS, pairs, strict=True)}
        self.mute = self.deaf = False  # whether it answers no more, or does not even read
        self._began, self._waiting = time.monotonic(), selectors.DefaultSelector()
        for peer in self.peers.values():
            self._waiting.register(peer.sock, selectors.EVENT_READ, peer)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def channels(self) -> list[socket.socket]:
        """The judge's ends."""
        return self._ends

    def poll(self) -> int | None:
        """None while it runs, else its exit code."""
        if self.returncode is None and time.monotonic() - self._began > self.box.notebook_s:
            self.struck = EndedBy.TIME
            self.kill()
        return self.returncode

    def signal(self, number: int) -> None:
        """An interrupt does nothing: no cell of a case waits."""

    def let_end(self) -> None:
        """The last moment of a case; then the end."""
        if self.returncode is None:
            self._at("shutdown")
        self.kill()

    def stop(self) -> int:
        """The same."""
        self.let_end()
        return self.returncode

    def kill(self) -> None:
        """Ends it, from whatever thread."""
        if self.returncode is None:
            self.returncode = -signal.SIGKILL
        for peer in self.peers.values():
            with contextlib.suppress(OSError):
                peer.sock.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._thread:
            self._thread.join(5)

    def print(self, *values: object) -> None:
        """What `print` does in a cell."""
        self.publish("stream", {"name": "stdout", "text": f"{' '.join(map(str, values))}\n"})

    def publish(self, kind: str, content: object, *buffers: bytes) -> None:
        """Sends a message to all who listen to iopub."""
        self._send("iopub", [b"topic", *self.message(kind, content), *buffers])

    def message(self, kind: str, content: object) -> list[bytes]:
        """The frames of an answer to what was asked last."""
        pieces = [json.dumps(piece).encode() for piece in ({"msg_type": kind}, {}, content)]
        return [DELIM, b"", pieces[0], self.asked, *pieces[1:]]

    def close(self, channel: str) -> None:
        """Closes its end of a channel."""
        self._forget(self.peers[channel])

    def _serve(self) -> None:
        self._at("connection")
        try:
            while self.returncode is None:
                for key, _ in self._waiting.select(0.02):
                    self._read(key.data)
        finally:
            for peer in self.peers.values():
                peer.sock.close()

    def _read(self, peer: Peer) -> None:
        if self.deaf:
            time.sleep(0.02)
            return
        try:
            data = peer.sock.recv(frames.PACKET_BYTES)
        except OSError:
            data = b""
        if not data:
            self._forget(peer)
            return
        if (message := peer.coming.feed(data)) is not None:
            self._take(message)

    def _take(self, message: list[bytes]) -> None:
        start = message.index(DELIM) + 2
        self.asked = message[start]
        asked, content = json.loads(message[start]), json.loads(message[start + 3])
        answer = {
            "kernel_info_request": self._introduce,
            "execute_request": self._execute,
            transport.REQUEST: self._call,
        }[asked["msg_type"]]
        if not self.mute:
            answer(content, message[start + 4 :])

    def _introduce(self, _: dict, __: list[bytes]) -> None:
        self._at("first reply")
        self.publish("status", {"execution_state": "idle"})
        self._send("shell", self.message("kernel_info_reply", {"status": "ok", "language_info": {"name": "python"}}))

    def _execute(self, content: dict, _: list[bytes]) -> None:
        self.publish("status", {"execution_state": "busy"})
        self._at("cell")
        reply = {"status": "ok"}
        try:
            exec(content["code"], self.names)
        except Exception as error:  # noqa: BLE001  (as a kernel does)
            reply = {"status": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": []}
            self.publish("error", reply)
        self.publish("status", {"execution_state": "idle"})
        self._send("shell", self.message("execute_reply", reply))
        self._at("between cells")

    def _call(self, content: dict, buffers: list[bytes]) -> None:
        self._at("request")
        asked = remote.decode(buffers[0])
        if asked["code"] is not None:  # a function of the test's own
            exec(marshal.loads(asked["code"].tobytes()), self.names)
        reply = remote.encode({"value": self.names[asked["name"]](*asked["args"]), "printed": ""})
        self.publish(incoming.REPLY, {"token": content["token"]}, reply)

    def _at(self, moment: str) -> None:
        with contextlib.suppress(OSError):
            self.spoil(self, moment)

    def _send(self, channel: str, message: list[bytes]) -> None:
        if not self.mute:
            with contextlib.suppress(OSError):
                for packet in frames.packets(message):
                    self.peers[channel].write(packet)

    def _forget(self, peer: Peer) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._waiting.unregister(peer.sock)
        peer.sock.close()


class Box:
    """What the judge holds of a sandbox; it has no walls, and one kernel at a time."""

    def __init__(self, spoil: Callable[[Kernel, str], None], notebook_s: float) -> None:
        self.spoil, self.notebook_s, self.clock, self.kernel = spoil, notebook_s, Clock(), None

    def start(self, *_: object) -> Kernel:
        """A kernel."""
        self.kernel = Kernel(self, self.spoil)
        return self.kernel

    def kill(self) -> None:
        """Kills the kernel, from whatever thread."""
        self.kernel.kill()


class Pool:
    """The pool of a process, which has such boxes."""

    gpu, package = False, MappingProxyType({})

    def __init__(self, spoil: Callable[[Kernel, str], None] = lambda kernel, moment: None, notebook_s: float = 60.0):
        self.box, self.given = Box(spoil, notebook_s), 0

    def take(self) -> Box:
        """The box."""
        self.given += 1
        return self.box

    def give_back(self, box: Box) -> None:
        """Notes that the box has come back."""
        self.given -= 1

    def close(self) -> None:
        """Nothing is left."""
