"""What the judge makes of a kernel's messages while a cell runs."""

import base64
import contextlib
import json
import logging

import pytest
from jupyter_client.session import DELIM
from nbclient.client import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat.v4 import new_code_cell, new_notebook

from grading.core import limits
from grading.judge import incoming
from grading.judge.execution import Judge

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


def test_what_is_no_picture_is_left_out_and_the_rest_of_an_output_stays():
    for other in (base64.b64encode(b"GIF89a" + bytes(90)).decode(), "AAAA", png(0, 9)):
        assert display(other)["content"]["data"] == {"text/plain": "a figure"}


def test_a_formula_that_the_formgrader_shows_as_it_is_holds_no_text_that_a_browser_takes_a_minute_for():
    room, shown = incoming.Room(), {"text/plain": "x", "text/latex": "x" + "\u0301" * 9_000}
    room.next_cell()
    message = {"msg_type": "display_data", "header": {}, "content": {"data": shown, "metadata": {}}}
    assert room.admits(message)
    assert message["content"]["data"] == {"text/plain": "x", "text/latex": "x" + "\u0301" * 30}
