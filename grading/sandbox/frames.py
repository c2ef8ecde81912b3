"""Jupyter's messages on a socket of packets, where others have ZeroMQ: how many frames, how long each is, the frames.

A message is one packet or several. Each begins with a byte that says whether it is a message's first, so that one that
was broken off, as by an interrupt, costs no more than itself. All numbers have 4 bytes, the smallest first. This file
stands alone: it is there on both sides of the walls.
"""

import socket
import struct

KIND = socket.SOCK_SEQPACKET  # of the sockets, which take a packet as a whole or not at all
FIRST, FURTHER = b"\1", b"\0"
PACKET_BYTES = 2**17  # at most; Linux takes somewhat more than 200,000
COUNT = struct.Struct("<I")


def packets(frames: list) -> list[bytes]:
    """The packets of one message, whose frames are bytes or memory of any kind, such as an array's.

    Errors  BufferError or TypeError for a frame that is neither.
    """
    frames = [frame if isinstance(frame, bytes) else memoryview(frame).tobytes() for frame in frames]
    head = struct.pack(f"<{len(frames) + 1}I", len(frames), *map(len, frames))
    data, size = b"".join([FIRST, head, *frames]), PACKET_BYTES - 1
    if len(data) <= PACKET_BYTES:
        return [data]
    rest = memoryview(data)[PACKET_BYTES:]
    return [data[:PACKET_BYTES], *(FURTHER + rest[at : at + size] for at in range(0, len(rest), size))]


class Unpacked:
    """Puts messages together from packets as they come, whoever sent them.

    Of a message at most `room` bytes are kept: what goes beyond is None in place of a frame. One of more frames than
    `most` is dropped.
    """

    def __init__(self, most: int, room: int) -> None:
        self._most, self._room = most, room
        self._came: bytearray | None = None  # of the message that is under way
        self._lengths: list[int] | None = None  # of the frames that are still to come, the last one first
        self._frames: list[bytes | None] = []
        self._left = self._skip = 0  # bytes that may still be kept; that are to come of a frame that isn't kept

    def feed(self, packet: bytes) -> list[bytes | None] | None:
        """Takes a packet, and gives the message that is whole with it; None until one is."""
        if packet[:1] == FIRST:
            self._came, self._lengths, self._frames = bytearray(), None, []
            self._left, self._skip = self._room, 0
        if self._came is None:
            return None
        data = memoryview(packet)[1:]
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._came += data[skipped:]
        if self._lengths is None and not self._begin():
            return None
        while self._lengths and not self._skip:
            if not self._take(self._lengths[-1]):
                return None
            self._lengths.pop()
        if self._skip:
            return None
        self._came = None
        return self._frames

    def _begin(self) -> bool:
        """Reads how long the frames are; False if not all of that has come."""
        if len(self._came) < COUNT.size:
            return False
        (count,) = COUNT.unpack_from(self._came)
        if count > self._most:
            self._came = None
            return False
        end = COUNT.size * (1 + count)
        if len(self._came) < end:
            return False
        self._lengths = list(struct.unpack_from(f"<{count}I", self._came, COUNT.size))[::-1]
        del self._came[:end]
        return True

    def _take(self, length: int) -> bool:
        """Takes the next frame, or begins to skip it; False if not all of it has come."""
        here = min(length, len(self._came))
        if length > self._left:
            self._frames.append(None)
            self._skip = length - here
        elif here < length:
            return False
        else:
            self._frames.append(bytes(memoryview(self._came)[:length]))
            self._left -= length
        del self._came[:here]
        return True
