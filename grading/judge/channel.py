"""The judge's ends of a kernel's two channels, as nbclient uses them: messages go in, and what may be read comes out.

The kernel is the student's. What it sends is read a packet at a time, so that no flood can stop the judge's clocks, and
what it doesn't read waits here, so that nobody waits for it.
"""

import asyncio
import select
import socket
import time
from collections import deque
from collections.abc import Callable
from queue import Empty

from jupyter_client.channelsabc import ChannelABC
from jupyter_client.session import Session

from grading.judge import incoming
from grading.sandbox.clock import LOOK_S, Clock, Deadline
from grading.sandbox.frames import PACKET_BYTES, Unpacked, packets

ALONE_S = 0.005  # for which messages may be read without another task's turn


class Channel(ChannelABC):
    """The judge's end of a socket to a student's kernel."""

    kinds: frozenset[str] | None = None  # the types of messages that are taken in here; None: all that are known
    clock = Clock()  # by the wall clock, until a client knows the kernel's own
    end: Callable[[], None] = staticmethod(lambda: None)  # ends the kernel

    def __init__(self, sock: socket.socket, session: Session) -> None:
        self._sock, self._session = sock, session
        self._coming, self._waiting = Unpacked(incoming.FRAMES, incoming.FRAME_BYTES), deque()
        self._paused = 0.0  # when another task last had its turn
        self._silent = False  # whether nothing can come or go any more
        sock.setblocking(False)

    def start(self) -> None:
        """Does nothing: it is connected."""

    def stop(self) -> None:
        """Closes it."""
        self._sock.close()

    def is_alive(self) -> bool:
        """Whether it is open."""
        return self._sock.fileno() >= 0

    def send(self, msg: dict) -> None:
        """Sends a message, or as much of it as is taken now; the rest goes while something is waited for."""
        self._waiting += packets([*self._session.serialize(msg), *msg.get("buffers", ())])
        self.push()

    def push(self) -> None:
        """Sends what is taken now of what waits; a kernel that has spoilt its own connection is ended."""
        while self._waiting:
            try:
                self._sock.send(self._waiting[0])
            except BlockingIOError:
                return
            except OSError:
                self._waiting.clear()
                self._spoilt()
                return
            self._waiting.popleft()

    def taken(self) -> tuple[bool, dict | None]:
        """Whether anything came, and the message that was complete with it, if it can be read; waits for nothing."""
        with self.clock.served():
            try:
                frames = self._frames()
            except BlockingIOError:
                return False, None
            except OSError:
                self._spoilt()
                return False, None
            message = None if frames is None else incoming.read(frames)
        if message is not None and self.kinds is not None and message["msg_type"] not in self.kinds:
            message = None
        return True, message

    def _frames(self) -> list[bytes | None] | None:
        """A message that is whole with the packet that has come next, or None if that completes none.

        Errors  BlockingIOError if nothing has come.
        """
        packet = b"" if self._silent else self._sock.recv(PACKET_BYTES)
        if not packet:
            self._silent = True
            raise BlockingIOError
        return self._coming.feed(packet)

    async def get_msg(self, timeout: float | None = None) -> dict:
        """The next message that can be read; Empty if none comes within some seconds of the kernel's own time."""
        end = None if timeout is None else Deadline(self.clock, timeout)
        while True:
            pause_s = LOOK_S if end is None else end.pause()
            came, message = self.taken()
            if came and time.monotonic() - self._paused > ALONE_S:
                await asyncio.sleep(0)  # or this task alone would run, for as long as messages come
                self._paused = time.monotonic()
            if message is not None:
                return message
            if pause_s == 0:
                raise Empty
            if not came:
                await self._ready(pause_s)

    async def _ready(self, limit_s: float) -> None:
        """Waits until something comes, or what waits can go."""
        loop, number = asyncio.get_running_loop(), self._sock.fileno()  # asyncio looks for a socket by its name
        ready = loop.create_future()
        timer = loop.call_later(limit_s, _done, ready)
        try:
            if not self._silent:
                loop.add_reader(number, _done, ready)
                if self._waiting:
                    loop.add_writer(number, _done, ready)
            await ready
        finally:
            timer.cancel()
            if not self._silent:
                loop.remove_reader(number)
                loop.remove_writer(number)
        self._paused = time.monotonic()
        self.push()

    def wait(self, limit_s: float, requests: "Channel") -> bool:
        """The same, while the loop stands still and what waits in `requests` goes; whether anything may have come."""
        poll = select.poll()
        if not self._silent:
            poll.register(self._sock, select.POLLIN)
        if requests._waiting:
            poll.register(requests._sock, select.POLLOUT)
        ready = dict(poll.poll(1000 * limit_s))
        requests.push()
        return not self._silent and self._sock.fileno() in ready

    def _spoilt(self) -> None:
        self._silent = True
        self.end()


class Replies(Channel):
    """The shell: nbclient takes what answers its request there for a reply, whatever its type."""

    kinds = frozenset({"execute_reply", "kernel_info_reply"})
    kept: dict | None = None  # a reply that has come, for whoever waits for one next

    async def get_msg(self, timeout: float | None = None) -> dict:
        """The reply that was kept, or the next one."""
        kept, self.kept = self.kept, None
        return kept or await super().get_msg(timeout)


def _done(ready: asyncio.Future) -> None:
    if not ready.done():
        ready.set_result(None)
