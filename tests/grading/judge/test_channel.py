"""The judge's end of a channel: what comes is read in pieces, what isn't read waits, and what is spoilt is ended."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from queue import Empty

import pytest
from jupyter_client.session import DELIM, Session

from grading.core.messages import OUTPUT_CUT
from grading.judge import incoming
from grading.judge.channel import Channel, Replies
from grading.sandbox import frames
from grading.sandbox.frames import PACKET_BYTES, Unpacked, packets


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The two ends of a channel: the judge's, and the kernel's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, frames.KIND)
    with ours, theirs:
        theirs.settimeout(60)
        yield ours, theirs


def made(sock: socket.socket, kind: type[Channel] = Channel) -> Channel:
    """A channel that notes how often its kernel was ended."""
    found = kind(sock, Session(key=b""))
    found.ended = []
    found.end = lambda: found.ended.append(True)
    return found


def message(kind: str, content: dict) -> bytes:
    """What a kernel sends, in one packet."""
    (packet,) = packets(
        [DELIM, b"", json.dumps({"msg_type": kind}).encode(), b"{}", b"{}", json.dumps(content).encode()]
    )
    return packet


def text(words: str) -> bytes:
    """A message that something was printed."""
    return message("stream", {"name": "stdout", "text": words})


def next_text(channel: Channel, timeout: float | None = 60) -> str:
    """What the next message says that was printed."""
    return asyncio.run(channel.get_msg(timeout))["content"]["text"]


def test_a_message_that_is_there_is_given_and_then_the_next_one(ends):
    ends[1].send(text("one"))
    ends[1].send(text("two"))
    channel = made(ends[0])
    assert [next_text(channel), next_text(channel)] == ["one", "two"]


def test_a_message_that_comes_later_is_waited_for_and_none_is_said_to_be_none(ends):
    channel = made(ends[0])
    later = threading.Timer(0.1, ends[1].send, [text("late")])
    later.start()
    assert next_text(channel) == "late"
    later.join()
    with pytest.raises(Empty):
        next_text(channel, timeout=0.05)


def test_what_cannot_be_read_is_dropped(ends):
    for packet in (*packets([b"nothing"]), message("comm_open", {}), b"\0\0", text("that")):
        ends[1].send(packet)
    assert next_text(made(ends[0])) == "that"


def test_on_the_shell_only_replies_are_taken_in(ends):
    ends[1].send(text("no"))
    ends[1].send(message("kernel_info_reply", {"language_info": {"name": "python"}}))
    reply = asyncio.run(made(ends[0], Replies).get_msg(60))
    assert reply["content"]["language_info"] == {"name": "python"}


def test_of_a_message_that_is_too_long_the_student_reads_that_it_was_cut(ends, monkeypatch):
    monkeypatch.setattr(incoming, "FRAME_BYTES", 1000)
    ends[1].send(text("x" * 2000))
    ends[1].send(text("short"))
    channel = made(ends[0])
    assert [next_text(channel), next_text(channel)] == [OUTPUT_CUT, "short"] and channel.ended == []


def test_a_large_message_goes_while_a_reply_is_waited_for(ends):
    """Linux keeps 200 KB in a socket; nobody waits for a kernel that doesn't read."""
    channel, sent = made(ends[0]), bytes(3_000_000)
    channel.send({**Session(key=b"").msg("request", {}), "buffers": [sent]})

    def read() -> None:
        coming = Unpacked(1000, 2**30)
        while (found := coming.feed(ends[1].recv(PACKET_BYTES))) is None:
            pass
        ends[1].send(text(str(len(found[-1]))))

    kernel = threading.Thread(target=read)
    kernel.start()
    assert next_text(channel) == "3000000"
    kernel.join()


def test_a_large_request_goes_also_while_the_loop_stands_still(ends):
    requests, (judges, its_outputs) = made(ends[0]), socket.socketpair(socket.AF_UNIX, frames.KIND)
    outputs = made(judges)
    requests.send({**Session(key=b"").msg("request", {}), "buffers": [bytes(3_000_000)]})

    def read() -> None:
        coming = Unpacked(1000, 2**30)
        while coming.feed(ends[1].recv(PACKET_BYTES)) is None:
            pass
        its_outputs.send(text("read"))

    kernel, end = threading.Thread(target=read), time.monotonic() + 60
    with judges, its_outputs:
        kernel.start()
        while not (found := outputs.taken()[1]) and time.monotonic() < end:
            outputs.wait(1, requests)
        kernel.join()
    assert found["content"]["text"] == "read"


def test_a_kernel_whose_end_is_closed_says_nothing_more_and_takes_no_time(ends):
    channel = made(ends[0])
    ends[1].send(text("last"))
    ends[1].close()
    assert next_text(channel) == "last"
    began = time.process_time()
    with pytest.raises(Empty):
        next_text(channel, timeout=0.7)
    assert time.process_time() - began < 0.35 and not channel.wait(0.01, channel)


def test_a_kernel_that_has_closed_its_end_before_it_is_asked_is_ended(ends):
    channel = made(ends[0])
    ends[1].close()
    channel.send(Session(key=b"").msg("request", {}))
    assert channel.ended == [True]


def test_a_closed_channel_is_not_alive(ends):
    channel = made(ends[0])
    assert channel.is_alive()
    channel.stop()
    assert not channel.is_alive()
