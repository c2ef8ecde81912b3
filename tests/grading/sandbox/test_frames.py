"""Messages in frames come out as they went in, in whatever pieces, and too much of them is not kept."""

import contextlib
import random
import struct

import numpy as np
import pytest

from grading.sandbox.frames import Unpacked, packed

MESSAGES = [[b"topic", b"", b"x" * 300], [], [b""], [bytes(range(256)) * 40, b"end"]]


def unpacked(pieces: list[bytes], most: int = 10, room: int = 2**20) -> list[list[bytes | None]]:
    """The messages in bytes that come in these pieces."""
    coming, found = Unpacked(most, room), []
    for piece in pieces:
        coming.feed(piece)
        while (message := coming.message()) is not None:
            found.append(message)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100, 10_000, 100_000])
def test_messages_come_out_as_they_went_in_whatever_pieces_they_come_in(size: int):
    data = b"".join(map(packed, MESSAGES))
    assert unpacked([data[at : at + size] for at in range(0, len(data), size)]) == MESSAGES


def test_a_frame_may_be_memory_of_any_kind():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert unpacked([packed([array, memoryview(b"ab"), array.T])]) == [[array.tobytes(), b"ab", array.T.tobytes()]]


def test_a_message_is_there_only_once_all_of_it_is():
    data = packed([b"one", b"two"])
    assert unpacked([data[:-1]]) == [] and unpacked([data[:-1], data[-1:]]) == [[b"one", b"two"]]


@pytest.mark.parametrize("size", [1, 4, 9, 64, 1000])
def test_of_what_is_too_long_nothing_is_kept_and_the_next_message_is_whole(size: int):
    data = packed([b"head", b"x" * 100, b"tail"]) + packed([b"next"])
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert unpacked(pieces, room=50) == [[b"head", None, b"tail"], [b"next"]]


def test_the_room_is_that_of_all_frames_together():
    assert unpacked([packed([b"x" * 30, b"y" * 30, b"z" * 20])], room=50) == [[b"x" * 30, None, b"z" * 20]]


def test_what_is_too_long_takes_no_memory_while_it_comes():
    coming = Unpacked(most=10, room=1000)
    coming.feed(struct.pack("<II", 1, 2**31))
    for _ in range(100):
        assert coming.message() is None
        coming.feed(bytes(2**16))
        assert coming.message() is None and len(coming._came) == 0


def test_a_message_of_more_frames_than_anybody_sends_is_an_error_before_they_come():
    with pytest.raises(ValueError, match="11 frames"):
        unpacked([struct.pack("<I", 11)])


def test_whatever_comes_is_a_message_an_error_or_waited_for():
    rng, found = random.Random(1), 0
    for _ in range(3000):
        pieces = [rng.choice([rng.randbytes(5), packed([]), packed([b"ab"]), packed([b"x" * 20])]) for _ in range(9)]
        with contextlib.suppress(ValueError):
            found += len(unpacked(pieces, room=9))
    assert found > 100
