"""A kernel that stands in for a student's, in a thread of this process: on the same sockets, without a sandbox.

It speaks ZMTP 3.0 (https://rfc.zeromq.org/spec/23/) itself, byte by byte, so that at a moment of the case's choice it
can write what no ZeroMQ library would. Until then, and afterwards if it lives, it answers as ipykernel does.
"""

import contextlib
import json
import marshal
import os
import secrets
import selectors
import shutil
import signal
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from jupyter_client.session import DELIM

from grading.bridge import remote
from grading.core.limits import EndedBy
from grading.judge import incoming, transport
from grading.sandbox.clock import Clock

CHANNELS = ("shell", "iopub")  # in the order of the sockets
TYPES = dict(zip(CHANNELS, (b"ROUTER", b"PUB"), strict=True))
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
WRITE_LIMIT_S = 0.2  # a peer that takes nothing for so long is not written to any more


def frame(body: bytes, more: bool = False, command: bool = False, long: bool = False, said: int | None = None) -> bytes:
    """A frame of ZMTP; `said` is the length that it claims, if not its own."""
    size = len(body) if said is None else said
    long = long or size > 255
    return bytes([more | long << 1 | command << 2]) + struct.pack(">Q" if long else ">B", size) + body


def multipart(frames: list[bytes]) -> bytes:
    """A message of several frames."""
    return b"".join(frame(body, more=n < len(frames)) for n, body in enumerate(frames, start=1))


def ready(kind: bytes) -> bytes:
    """The command with which a handshake ends."""
    return frame(b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind, command=True)


class Peer:
    """A connection of the judge's to one of the kernel's sockets."""

    def __init__(self, sock: socket.socket, channel: str) -> None:
        self.sock, self.channel, self.unread, self.greeted, self.frames = sock, channel, b"", False, []
        sock.settimeout(WRITE_LIMIT_S)

    def write(self, data: bytes) -> None:
        """Sends bytes; OSError if the judge has closed the connection or takes none."""
        self.sock.sendall(data)

    def messages(self, data: bytes) -> list[list[bytes]]:
        """The messages that end in what has just come."""
        self.unread += data
        if not self.greeted:
            if len(self.unread) < len(GREETING):
                return []
            self.greeted, self.unread = True, self.unread[len(GREETING) :]
        found = []
        while len(self.unread) >= 2:
            flags, head = self.unread[0], 9 if self.unread[0] & 2 else 2
            if len(self.unread) < head:
                break
            size = int.from_bytes(self.unread[1:head], "big")
            if len(self.unread) < head + size:
                break
            body, self.unread = self.unread[head : head + size], self.unread[head + size :]
            if flags & 4:  # a command
                continue
            self.frames.append(body)
            if not flags & 1:
                found.append(self.frames)
                self.frames = []
        return found


class Kernel:
    """What the judge holds of a kernel: as `sandbox.Kernel`, without a process."""

    def __init__(self, box: "Box", address: str, spoil: Callable[["Kernel", str], None]) -> None:
        self.box, self.address, self.key, self.spoil = box, address, secrets.token_hex(32).encode(), spoil
        self.returncode: int | None = None
        self.struck: EndedBy | None = None
        self.failure, self.names, self.asked = "", {"print": self.print}, b"{}"
        self.peers: dict[str, list[Peer]] = {name: [] for name in CHANNELS}
        self.greeting = GREETING
        self.mute = self.deaf = False  # whether it answers no more, or does not even read
        self._began, self._waiting = time.monotonic(), selectors.DefaultSelector()
        for n, name in enumerate(CHANNELS, start=1):
            sock = socket.socket(socket.AF_UNIX)
            sock.bind(f"{address}-{n}")
            sock.listen()
            self._waiting.register(sock, selectors.EVENT_READ, name)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

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
        for peer in [peer for peers in self.peers.values() for peer in peers]:
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
        """Closes a channel's connections; the judge's library connects again."""
        for peer in self.peers[channel]:
            self._forget(peer)

    def _serve(self) -> None:
        try:
            while self.returncode is None:
                for key, _ in self._waiting.select(0.02):
                    if isinstance(key.data, str):
                        sock, _ = key.fileobj.accept()
                        self._greet(Peer(sock, key.data))
                    else:
                        self._read(key.data)
        finally:
            for key in list(self._waiting.get_map().values()):
                key.fileobj.close()

    def _greet(self, peer: Peer) -> None:
        self.peers[peer.channel].append(peer)
        self._waiting.register(peer.sock, selectors.EVENT_READ, peer)
        self._at("connection")
        with contextlib.suppress(OSError):
            peer.write(self.greeting + ready(TYPES[peer.channel]))

    def _read(self, peer: Peer) -> None:
        if self.deaf:
            time.sleep(0.02)
            return
        try:
            data = peer.sock.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            self._forget(peer)
            return
        for frames in peer.messages(data):
            self._take(peer, frames)

    def _take(self, peer: Peer, frames: list[bytes]) -> None:
        if peer.channel == "iopub":
            if not self.mute:
                self.publish("iopub_welcome", {})
            return
        with contextlib.suppress(ValueError, KeyError, IndexError):  # of what the judge's library may send by itself
            start = frames.index(DELIM) + 2
            self.asked = frames[start]
            asked, content = json.loads(frames[start]), json.loads(frames[start + 3])
            answer = {
                "kernel_info_request": self._introduce,
                "execute_request": self._execute,
                transport.REQUEST: self._call,
            }.get(asked["msg_type"])
            if answer is not None and not self.mute:
                answer(content, frames[start + 4 :])

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

    def _send(self, channel: str, frames: list[bytes]) -> None:
        for peer in () if self.mute else self.peers[channel]:
            with contextlib.suppress(OSError):
                peer.write(multipart(frames))

    def _forget(self, peer: Peer) -> None:
        self.peers[peer.channel] = [other for other in self.peers[peer.channel] if other is not peer]
        with contextlib.suppress(KeyError, ValueError):
            self._waiting.unregister(peer.sock)
        peer.sock.close()


class Box:
    """What the judge holds of a sandbox; it has no walls, and one kernel at a time."""

    def __init__(self, spoil: Callable[[Kernel, str], None], notebook_s: float) -> None:
        self.spoil, self.notebook_s, self.clock, self.kernel = spoil, notebook_s, Clock(), None
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz-"))

    def start(self, *_: object) -> Kernel:
        """A kernel."""
        self.kernel = Kernel(self, os.fspath(self.folder / secrets.token_hex(4)), self.spoil)
        return self.kernel

    def kill(self) -> None:
        """Kills the kernel, from whatever thread."""
        self.kernel.kill()


class Pool:
    """The pool of a process, which has such boxes."""

    gpu = False

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
        """Removes what is left."""
        shutil.rmtree(self.box.folder)
