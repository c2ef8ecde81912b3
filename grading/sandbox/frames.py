"""Jupyter's messages on a stream socket, where others have ZeroMQ: how many frames, how long each is, and the frames.

All numbers have 4 bytes, the smallest first. This file stands alone: it is there on both sides of the walls.
"""

import struct

COUNT = struct.Struct("<I")


def packed(frames: list) -> bytes:
    """The bytes of one message, whose frames are bytes or memory of any kind, such as an array's.

    Errors  BufferError or TypeError for a frame that is neither.
    """
    frames = [frame if isinstance(frame, bytes) else memoryview(frame).tobytes() for frame in frames]
    lengths = struct.pack(f"<{len(frames) + 1}I", len(frames), *map(len, frames))
    return b"".join([lengths, *frames])


class Unpacked:
    """Takes messages apart from bytes as they come, whoever sent them.

    Of a message at most `most` frames and `room` bytes are kept: what goes beyond is None in place of a frame.
    """

    def __init__(self, most: int, room: int) -> None:
        self._most, self._room = most, room
        self._came = bytearray()
        self._lengths: list[int] | None = None  # of the frames that are still to come
        self._frames: list[bytes | None] = []
        self._left = room
        self._skip = 0  # bytes of a frame that isn't kept

    def feed(self, data: bytes) -> None:
        """Takes further bytes."""
        if skipped := min(self._skip, len(data)):
            self._skip -= skipped
            data = memoryview(data)[skipped:]
        self._came += data

    def message(self) -> list[bytes | None] | None:
        """The next message, once all of it has come; None until then.

        Errors  ValueError for one of more frames than anybody sends.
        """
        if self._lengths is None and not self._begin():
            return None
        while self._lengths:
            if self._skip:
                return None
            length = self._lengths[-1]
            if length > self._left:
                self._frames.append(None)
                self._lengths.pop()
                here = min(length, len(self._came))
                del self._came[:here]
                self._skip = length - here
            elif length <= len(self._came):
                self._frames.append(bytes(memoryview(self._came)[:length]))
                self._lengths.pop()
                self._left -= length
                del self._came[:length]
            else:
                return None
        if self._skip:
            return None
        frames, self._frames, self._lengths, self._left = self._frames, [], None, self._room
        return frames

    def _begin(self) -> bool:
        """Reads how long the frames are; False if not all of that has come."""
        if len(self._came) < COUNT.size:
            return False
        (count,) = COUNT.unpack_from(self._came)
        if count > self._most:
            raise ValueError(f"a message of {count} frames")
        end = COUNT.size * (1 + count)
        if len(self._came) < end:
            return False
        self._lengths = list(struct.unpack_from(f"<{count}I", self._came, COUNT.size))[::-1]
        del self._came[:end]
        return True
