"""What the judge makes of a kernel's messages while a cell runs."""

import contextlib
import json
import logging

import pytest
from jupyter_client.session import DELIM
from nbclient.client import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat.v4 import new_code_cell, new_notebook

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
