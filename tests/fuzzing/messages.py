"""Messages of a student's kernel: well-formed ones with odd contents, through nbclient, nbformat and nbconvert.

A cell runs in the real judge, but its channels hand out what a case wrote: some twenty messages, and at last, so that
no case waits, the reply and the end that an honest kernel sends.
"""

import copy
import functools
import json
import logging
import random
import socket
import warnings

import nbformat
from jupyter_client.session import DELIM
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook

from attention import course
from dev.course_copy import CONFIGURED
from fuzzing import Fuzzer, spoil
from grading.judge import execution, incoming, kernels
from grading.judge.channel import Channel
from grading.pages import student_pages
from grading.sandbox.clock import Clock

ASKED = "asked"  # the id of the request that runs the cell
TABLE, PICTURE = "<table><tr><td onclick=a()>1</td></tr></table>", "iVBORw0KGgo="
DATA = {"text/plain": "1.0", "text/html": TABLE, "text/markdown": "$a$", "text/latex": "$$a_", "image/png": PICTURE}
SOUND = {
    "stream": {"name": "stdout", "text": "some text\n"},
    "display_data": {"data": DATA, "metadata": {"image/png": {"width": 3}}, "transient": {"display_id": "d"}},
    "update_display_data": {"data": DATA, "metadata": {}, "transient": {"display_id": "d"}},
    "execute_result": {"data": DATA, "metadata": {}, "execution_count": 3},
    "error": {"ename": "E", "evalue": "\x1b[31mv", "traceback": ["a", "b"]},
    "clear_output": {"wait": True},
    "execute_input": {"code": "1", "execution_count": 2},
    "status": {"execution_state": "busy"},
    "iopub_welcome": {"subscription": ""},
    "execute_reply": {"status": "error", "ename": "E", "evalue": "v", "traceback": [], "payload": [{"source": "page"}]},
    "kernel_info_reply": {"status": "ok", "language_info": {"name": "python"}},
    incoming.REPLY: {"token": "a" * 32},
    "comm_open": {"comm_id": "c", "target_name": "jupyter.widget", "data": {"state": {"_model_name": "OutputModel"}}},
    "comm_msg": {"comm_id": "c", "data": {"state": {"outputs": []}, "buffer_paths": [["a"]]}},
    "input_request": {"prompt": "a", "password": True},
    "shutdown_reply": {"restart": False},
    "debug_event": {},
}


class Client:
    """Stands where nbclient has a client of a living kernel."""

    clock = Clock()

    def __init__(self, shell: list[list[bytes]], iopub: list[list[bytes]]) -> None:
        self.shell_channel, self.iopub_channel = channel("shell", shell), channel("iopub", iopub)

    def execute(self, *_: object, **__: object) -> str:
        """The id of the request."""
        return ASKED

    async def is_alive(self) -> bool:
        """It is."""
        return True


def channel(name: str, messages: list[list[bytes]]) -> Channel:
    """A channel of a kernel's client, of the real class, that hands out these."""
    kind = kernels.KernelClient.class_traits()[f"{name}_channel_class"].default_value

    class Handed(kind):
        def _frames(self) -> list[bytes]:
            if not messages:
                raise BlockingIOError
            return messages.pop(0)

    return Handed(_sockets()[0], None)


@functools.cache
def _sockets() -> tuple[socket.socket, socket.socket]:
    """Two ends, by which nothing comes."""
    return socket.socketpair()


def case(rng: random.Random) -> None:
    """Runs one cell whose kernel sends what nobody would send, and reads what is kept of it."""
    shell = [message(rng) for _ in range(rng.randrange(4))] + [sound("execute_reply", {"status": "ok"})]
    iopub = [message(rng) for _ in range(rng.randrange(25))] + [sound("status", {"execution_state": "idle"})]
    cells = [new_code_cell("1", id=f"part01-own-{n}") for n in range(2)]
    runs = quiet_judge()
    notebook = new_notebook(cells=cells)
    NotebookClient.__init__(runs, notebook, None)
    runs.reset_execution_trackers()
    runs.ended, runs.stopped, runs.room, runs.kc = None, [], incoming.Room(), Client(shell, iopub)
    for index, cell in enumerate(cells):
        runs.preprocess_cell(
            cell, {}, index
        )  # the second one finds what the first has left on the channels, or nothing
        shell += [sound("execute_reply", {"status": "ok"})]
        iopub += [sound("status", {"execution_state": "idle"})]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbformat.validate(notebook)
    kept = nbformat.writes(notebook)
    kept.encode("utf-8")
    json.loads(kept, parse_constant=_refuse)
    assert "comm_id" not in kept and "widgets" not in notebook.metadata
    read = nbformat.reads(kept, as_version=4)
    page = "".join(str(block) for block in student_pages.blocks(read, course.PARTS[1], {}))
    page.encode("utf-8")
    assert "<script" not in page and "onclick" not in page
    if rng.random() < 0.02:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an output without data, of which a page shows nothing
            HTMLExporter().from_notebook_node(read)[0].encode("utf-8")


def message(rng: random.Random) -> list[bytes]:
    """The frames of a message: mostly of a known type, and an answer to the request, with anything for a content."""
    kind = rng.choice(list(SOUND))
    content: object = copy.deepcopy(SOUND[kind])
    times = rng.choice((0, 1, 1, 2, 4))
    content = spoil.anything(rng) if times == 4 else spoil.changed(content, rng, times)
    header: object = {"msg_type": kind, "msg_id": "1", "username": "", "session": "", "date": "", "version": "5.3"}
    parent: object = {"msg_id": ASKED}
    if rng.random() < 0.1:
        header = spoil.changed(header, rng, 1)
    if rng.random() < 0.1:
        parent = rng.choice((spoil.anything(rng), {"msg_id": spoil.anything(rng)}))
    metadata = spoil.anything(rng) if rng.random() < 0.2 else {}
    pieces = [spoil.written(piece, rng) for piece in (header, parent, metadata, content)]
    frames = [b"topic", DELIM, b"signature", *pieces, *(rng.randbytes(9) for _ in range(rng.randrange(3)))]
    if rng.random() < 0.05:
        frames = [rng.choice((*frames, b"", rng.randbytes(20))) for _ in range(rng.randrange(9))]
    return frames


def sound(kind: str, content: dict) -> list[bytes]:
    """The frames of a message as an honest kernel sends it."""
    return [DELIM, b"", *(json.dumps(piece).encode() for piece in ({"msg_type": kind}, {"msg_id": ASKED}, {}, content))]


@functools.cache
def quiet_judge() -> execution.Judge:
    """A judge that writes no log."""
    made = execution.Judge(config=CONFIGURED)
    made.log = logging.getLogger("fuzzing")
    made.log.disabled = True
    return made


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


FUZZER = Fuzzer("messages", case, limit_s=20.0)
