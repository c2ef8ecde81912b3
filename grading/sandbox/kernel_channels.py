"""A kernel's two channels, shell and iopub, on sockets that the judge holds the other ends of, and its two streams.

In place of ZeroMQ, of ipykernel's thread that sends, and of its two threads that read what is printed past Python.
All of it is made before the fork and connected after it. Like the zygote this file stands alone.
"""

import asyncio
import codecs
import contextlib
import inspect
import os
import select
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from os import getpid, read, write  # by names of our own, which no mock in a cell reaches
from time import monotonic
from types import ModuleType

import zmq
from ipykernel.iostream import IOPubThread, OutStream

PIECE_BYTES = 2**16  # of what comes through a pipe, taken at once
WAITING = 500  # packets that the judge has not taken yet, after which a cell waits, too
SOON_S = 0.2  # after which what was printed is sent, if its cell goes on
STREAMS = ("stdout", "stderr")  # whose descriptors are 1 and 2


class Channel:
    """One end of a socket, for messages in frames. A fork of the kernel's process sends nothing."""

    def __init__(self, frames: ModuleType) -> None:
        self._frames = frames
        self._sock: socket.socket | None = None
        self._process, self._sending = 0, threading.RLock()  # a handler of a signal may print, too
        self._unsent: deque[bytes] = deque()
        self._pushing = False

    def connect(self, fd: int) -> None:
        """Takes over the socket, in the process that serves it."""
        self._sock, self._process = socket.socket(fileno=fd), getpid()

    def is_own(self) -> bool:
        """Whether this process serves it; before it is connected none does."""
        return self._process == getpid()

    def send_multipart(self, frames: list, **_: object) -> None:
        """Sends one message; nothing before the socket is there, and nothing once the judge is gone.

        What the judge doesn't take yet waits here, up to a limit: on a busy machine no cell is to wait for the judge.
        """
        if self.is_own():
            packets = self._frames.packets(frames)
            with self._sending:
                self._unsent += packets
            self.finish(WAITING)

    def push(self) -> None:
        """Sends what the judge takes now, unless that is under way: a handler of a signal may come in between."""
        with self._sending:
            if self._pushing:
                return
            self._pushing = True
            try:
                while self._unsent:
                    packet = self._unsent.popleft()
                    try:
                        self._sock.send(packet, socket.MSG_DONTWAIT)
                    except BlockingIOError:
                        self._unsent.appendleft(packet)
                        return
                    except ConnectionError:
                        self._unsent.clear()
            finally:
                self._pushing = False

    def finish(self, left: int = 0) -> None:
        """Waits until no more than so many packets are left to be sent."""
        self.push()
        while len(self._unsent) > left and not self._pushing:
            poll = select.poll()
            poll.register(self._sock, select.POLLOUT)
            poll.poll()
            self.push()


class Shell(Channel):
    """The channel that requests come by, and replies go by, in place of ipykernel's `ZMQStream`."""

    def __init__(self, frames: ModuleType) -> None:
        super().__init__(frames)
        self._coming = frames.Unpacked(most=1000, room=2**32)  # from the judge, who may send what it likes
        self._receive: Callable | None = None

    def on_recv(self, receive: Callable, **_: object) -> None:
        """From now on the loop of this thread hands each message on."""
        self._receive = receive
        asyncio.get_event_loop().add_reader(self._sock, self._came)

    def _came(self) -> None:
        taken = self._receive(self.recv_multipart())
        if inspect.isawaitable(taken):
            asyncio.ensure_future(taken)

    def recv_multipart(self) -> list[zmq.Frame]:
        """The next message, for which this waits; a fork of the kernel's process, which isn't asked, waits for ever."""
        while not self.is_own():
            signal.pause()
        found = None
        while found is None:
            if not (packet := self._sock.recv(self._frames.PACKET_BYTES)):
                raise SystemExit  # the judge is gone
            found = self._coming.feed(packet)
        return [zmq.Frame(frame, copy=True) for frame in found]  # else ZeroMQ starts a thread to watch a large one

    def comes(self, limit_ms: int) -> bool:
        """Whether another message comes within this time, or never will."""
        if not self.is_own():
            return True
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        return bool(poll.poll(limit_ms))

    def flush(self, *_: object) -> None:
        """Waits until the judge has taken all replies; ipykernel asks for that after each."""
        self.finish()


class IOPub(Channel, IOPubThread):
    """The channel that outputs go by, from whatever thread, in place of ipykernel's thread and its socket."""

    def __init__(self, frames: ModuleType) -> None:
        super().__init__(frames)
        self.socket = self.background_socket = self
        self.io_loop = None

    def capture(self, *streams: "Output") -> None:
        """Has what is written to a stream's descriptor go to that stream, and what waits in a stream be sent soon."""
        for stream in streams:
            stream.capture()
        self.thread = threading.Thread(target=self._watch, args=streams, name="outputs", daemon=True)
        self.thread.start()

    def _watch(self, *streams: "Output") -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are the main thread's
        poll, due = select.poll(), 0.0
        by_pipe = {stream.pipe: stream for stream in streams}
        for pipe in by_pipe:
            poll.register(pipe, select.POLLIN)
        while True:
            with contextlib.suppress(Exception):  # whatever a cell has done to what is used here: the next one prints
                for pipe, _ in poll.poll(1000 * SOON_S):
                    if not by_pipe[pipe].drain():
                        poll.unregister(pipe)
                if monotonic() >= due:
                    due = monotonic() + SOON_S
                    for stream in streams:
                        stream.send()
                    self.push()


class Output(OutStream):
    """What stands in for stdout or stderr. What is printed waits until the cell ends, but not for long."""

    pipe: int | None = None  # by which comes what is written to the descriptor

    def __init__(self, session: object, channel: IOPub, name: str, **_: object) -> None:
        super().__init__(session, channel, name, watchfd=False)
        self._descriptor = 1 + STREAMS.index(name)
        self._line = ""  # that a fork of this process has not finished
        self._waiting: list[tuple[dict, str]] = []  # texts, each with the header of the request that it belongs to
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._sending, self._draining = threading.RLock(), threading.RLock()

    def capture(self) -> None:
        """Puts a pipe in place of the descriptor, in the process that this stream is of."""
        self._master_pid = getpid()
        self._original_stdstream_copy = os.dup(self._descriptor)
        self.pipe, end = os.pipe()
        os.set_blocking(self.pipe, False)
        os.dup2(end, self._descriptor)
        os.close(end)

    def drain(self) -> bool:
        """Takes over what has come through the pipe by now, up to a piece; False if nothing can come any more."""
        with self._draining:
            try:
                data = read(self.pipe, PIECE_BYTES)
            except BlockingIOError:
                return True
            self._keep(self._decoder.decode(data))
        return bool(data)

    def write(self, string: str) -> int:
        """As ipykernel does; a fork of this process writes whole lines to the pipe: the channel is not its own.

        Errors  TypeError for anything but a text, and ValueError if this is closed.
        """
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string)}")
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not self._is_own():
            lines, end, self._line = (self._line + string).rpartition("\n")
            self._write_past(lines + end)
            return len(string)
        if self.pipe is not None:
            self.drain()  # what was written past this stream before
        # Half of a letter, which no message can hold, would cost the cell its reply.
        self._keep(string if string.isascii() else string.encode("utf-8", "replace").decode("utf-8"))
        return len(string)

    def _is_own(self) -> bool:
        return self._master_pid == getpid()

    def _keep(self, text: str) -> None:
        if text:
            self._waiting.append((self.parent_header, text))

    def _write_past(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[write(self._descriptor, data) :]

    def flush(self) -> None:
        """Sends all that was written, by whatever way."""
        if not self._is_own():
            line, self._line = self._line, ""
            self._write_past(line)
            return
        if self.pipe is not None:
            with self._draining:
                self.drain()
                self._keep(self._decoder.decode(b"", final=True))
        self.send()

    def send(self) -> None:
        """Sends what waits; a handler of a signal may do that in between."""
        with self._sending:
            waiting, self._waiting = self._waiting, []
            for parent, texts in groupby(waiting, itemgetter(0)):
                content = {"name": self.name, "text": "".join(text for _, text in texts)}
                self.session.send(self.pub_thread, "stream", content, parent, self.topic)
