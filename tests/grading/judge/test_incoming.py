"""What the judge makes of a kernel's messages while a cell runs."""

import base64
import contextlib
import json
import logging
import types

import pytest
from jupyter_client.session import DELIM
from nbclient.client import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat.v4 import new_code_cell, new_notebook

from grading.core import limits, messages
from grading.judge import incoming
from grading.judge.execution import Judge
from grading.sandbox.clock import Clock

CONTENT = {
    "name": "stdout",
    "text": "",
    "data": {},
    "execution_state": "idle",
    "token": "",
    "ename": "",
    "evalue": "",
    "traceback": [],
}


@pytest.mark.parametrize("kind", incoming.CONTENT)
def test_no_message_of_a_kernel_writes_into_the_run_s_log(kind: str, caplog: pytest.LogCaptureFixture):
    """A kernel sends thousands a second; a log has no limit."""
    header, content = json.dumps({"msg_type": kind}).encode(), json.dumps(CONTENT).encode()
    judge, cell = Judge(), new_code_cell()
    NotebookClient.__init__(judge, new_notebook(cells=[cell]))  # which nbconvert leaves to `preprocess`
    judge.log, judge.room, judge.clear_before_next_output = logging.getLogger("a run"), incoming.Room(), False
    judge.room.next_cell()
    judge.kc = types.SimpleNamespace(clock=Clock())
    with contextlib.suppress(CellExecutionComplete):
        judge.process_message(incoming.read([DELIM, b"", header, b"{}", b"{}", content]), cell, 0)
    assert caplog.records == []


def png(width: int, height: int) -> str:
    """The head of a PNG of this size."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes(6)
    return base64.b64encode(head).decode()


def display(picture: str) -> dict:
    content = {"data": {"image/png": picture, "text/plain": "a figure"}}
    return incoming.read([DELIM, b"", b'{"msg_type": "display_data"}', b"{}", b"{}", json.dumps(content).encode()])


def test_a_picture_takes_the_room_of_its_pixels():
    room = incoming.Room()
    room.next_cell()
    figures = [display(png(4_000, 4_000)) for _ in range(5)]  # 16 million pixels, 0.1 kB
    assert [room.admits(figure) for figure in figures] == [True, True, True, True, False]
    assert [figure["msg_type"] for figure in figures[:4]] == ["display_data"] * 3 + ["stream"]
    room.next_cell()
    assert room.admits(display(png(640, 480))) and room.cell_chars > 0.99 * limits.OUTPUT_CHARS


def test_no_picture_asks_for_so_much_room_that_the_rest_of_its_page_is_out_of_reach():
    sizes = {"width": 640, "height": 9_999}
    content = {"data": {"image/png": png(640, 480)}, "metadata": {"image/png": sizes}}
    frames = [DELIM, b"", b'{"msg_type": "display_data"}', b"{}", b"{}", json.dumps(content).encode()]
    assert incoming.read(frames)["content"]["metadata"] == {"image/png": {"width": 640}}


def stream(content: bytes) -> dict | None:
    return incoming.read([DELIM, b"", b'{"msg_type": "stream"}', b"{}", b"{}", content])


LISTS, TEXT = b"[]," * 4_000_000, b'{"name": "stdout", "text": "%s"%s}'
LONG = {
    "lists": TEXT % (b"", b', "more": [' + LISTS + b"0]"),
    "numbers": TEXT % (b"", b', "more": [' + b"1," * 6_000_000 + b"0]"),
    "texts": TEXT % (b"", b', "more": [' + b'"",' * 4_000_000 + b"0]"),
    "after an escape": TEXT % (rb"\\", b', "more": [' + LISTS + b"0]"),
    "after a quote": TEXT % (rb"\"", b', "more": [' + LISTS + b"0]"),
}


@pytest.mark.parametrize("content", LONG.values(), ids=LONG)
def test_what_takes_long_to_read_is_not_read_for_nobody_looks_at_the_memory_meanwhile(content: bytes):
    assert len(content) < limits.MESSAGE_BYTES
    assert stream(content)["content"] == {"name": "stdout", "text": messages.OUTPUT_CUT}


def test_a_message_in_utf_16_is_none_so_that_no_sign_in_it_hides_another():
    hiding = '{"name": "stdout", "text": "\u2200", "more": [' + "[]," * 2_000_000 + "0]}"  # 0x22, a quote, in U+2200
    assert stream(hiding.encode("utf-16-le")) is None


@pytest.mark.parametrize(
    ("frame", "kind"), [(2, None), (3, None), (4, "grading_reply"), (5, "stream"), (6, None)]
)  # the header, its parent's, the metadata, which nobody reads, the content, a buffer
def test_a_message_a_frame_of_which_was_too_long_to_be_kept_is_none_or_says_so(frame: int, kind: str | None):
    frames = [DELIM, b"", b'{"msg_type": "grading_reply"}', b"{}", b"{}", b'{"token": "a"}', b"reply"]
    assert incoming.read(frames)["buffers"] == [b"reply"]
    frames[frame] = None
    assert (incoming.read(frames) or {"msg_type": None})["msg_type"] == kind


def test_headers_of_a_message_are_short():
    short, content = b'{"msg_type": "clear_output"}', b'{"wait": true}'
    long = short[:-1] + b', "more": [' + LISTS + b"0]}"
    read = [
        incoming.read([DELIM, b"", *headers, b"{}", content])
        for headers in ((short, b"{}"), (long, b"{}"), (short, long))
    ]
    assert [message is None for message in read] == [False, True, True]


def test_a_long_text_is_read_whatever_signs_it_has():
    text = '[{,\\"' * 1_000_000
    assert stream(json.dumps({"name": "stdout", "text": text}).encode())["content"]["text"] == text


def test_what_is_no_picture_is_left_out_and_the_rest_of_an_output_stays():
    for other in (base64.b64encode(b"GIF89a" + bytes(90)).decode(), "AAAA", png(0, 9)):
        assert display(other)["content"]["data"] == {"text/plain": "a figure"}


def test_a_formula_that_the_formgrader_shows_as_it_is_holds_no_text_that_a_browser_takes_a_minute_for():
    room, shown = incoming.Room(), {"text/plain": "x", "text/latex": "x" + "\u0301" * 9_000}
    room.next_cell()
    message = {"msg_type": "display_data", "header": {}, "content": {"data": shown, "metadata": {}}}
    assert room.admits(message)
    assert message["content"]["data"] == {"text/plain": "x", "text/latex": "x" + "\u0301" * 30}
