"""Messages in frames come out as they went in, in whatever pieces, and too much of them is not kept."""

import random
import socket
import struct

import numpy as np
import pytest

from grading.sandbox import frames
from grading.sandbox.frames import FIRST, FURTHER, Unpacked, packets

LONG = bytes(range(256)) * 2000  # four packets
MESSAGES = [[b"topic", b"", b"x" * 300], [], [b""], [LONG, b"end"], [b"", LONG]]


def unpacked(came: list[bytes], most: int = 10, room: int = 2**20) -> list[list[bytes | None]]:
    """The messages in packets that come."""
    coming = Unpacked(most, room)
    return [message for packet in came if (message := coming.feed(packet)) is not None]


def in_packets_of(size: int, message: list[bytes]) -> list[bytes]:
    """The packets of a message if they held so few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "PACKET_BYTES", size)
        return packets(message)


@pytest.mark.parametrize("size", [2, 3, 5, 7, 100, 10_000, frames.PACKET_BYTES])
def test_messages_come_out_as_they_went_in_in_packets_of_whatever_size(size: int):
    short = MESSAGES if size > 99 else MESSAGES[:3]
    came = [packet for message in short for packet in in_packets_of(size, message)]
    assert unpacked(came) == short and max(map(len, came)) <= size


def test_no_packet_is_longer_than_linux_takes():
    ours, theirs = socket.socketpair(socket.AF_UNIX, frames.KIND)
    with ours, theirs:
        for packet in packets([LONG]):
            assert ours.send(packet) == len(packet) <= frames.PACKET_BYTES
            assert theirs.recv(frames.PACKET_BYTES) == packet


def test_a_frame_may_be_memory_of_any_kind():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert unpacked(packets([array, memoryview(b"ab"), array.T])) == [[array.tobytes(), b"ab", array.T.tobytes()]]


def test_a_message_is_there_only_once_all_of_it_is():
    *first, last = in_packets_of(4, [b"one", b"two"])
    assert unpacked(first) == [] and unpacked([*first, last]) == [[b"one", b"two"]]


@pytest.mark.parametrize("left", range(1, 8))
def test_a_message_that_was_broken_off_costs_nothing_but_itself(left: int):
    broken = in_packets_of(4, [b"one", b"two", b"three"])[:left]
    assert unpacked([*broken, *in_packets_of(4, [b"next"])]) == [[b"next"]]


def test_what_follows_no_first_packet_is_dropped():
    assert unpacked([FURTHER + b"abc", b"", b"x", *packets([b"a"]), FURTHER + b"abc"]) == [[b"a"]]


def test_what_comes_after_a_message_in_its_last_packet_is_dropped():
    (packet,) = packets([b"a"])
    assert unpacked([packet + packet, *packets([b"b"])]) == [[b"a"], [b"b"]]


@pytest.mark.parametrize("size", [2, 4, 9, 64, 1000])
def test_of_what_is_too_long_nothing_is_kept_and_the_next_message_is_whole(size: int):
    came = in_packets_of(size, [b"head", b"x" * 100, b"tail"]) + in_packets_of(size, [b"next"])
    assert unpacked(came, room=50) == [[b"head", None, b"tail"], [b"next"]]


def test_the_room_is_that_of_all_frames_together():
    assert unpacked(packets([b"x" * 30, b"y" * 30, b"z" * 20]), room=50) == [[b"x" * 30, None, b"z" * 20]]


def test_what_is_too_long_takes_no_memory_while_it_comes():
    coming = Unpacked(most=10, room=1000)
    assert coming.feed(FIRST + struct.pack("<II", 1, 2**31)) is None
    for _ in range(100):
        assert coming.feed(FURTHER + bytes(2**16)) is None and len(coming._came) == 0


def test_a_message_of_more_frames_than_anybody_sends_is_dropped_before_they_come():
    coming = Unpacked(most=10, room=1000)
    for packet in (FIRST + struct.pack("<I", 11), FURTHER + bytes(44), FURTHER + bytes(99)):
        assert coming.feed(packet) is None and not coming._came
    assert coming.feed(packets([b"next"])[0]) == [b"next"]


def test_whatever_comes_is_a_message_or_waited_for():
    rng, found = random.Random(1), 0
    for _ in range(3000):
        kinds = [rng.randbytes(5), FIRST + rng.randbytes(5), FURTHER + b"\0" * 9, *packets([b"ab"])]
        kinds += [*packets([b"x" * 20]), FIRST + struct.pack("<II", 1, 3), FURTHER + b"abc"]
        found += len(unpacked([rng.choice(kinds) for _ in range(9)], room=9))
    assert found > 3000
