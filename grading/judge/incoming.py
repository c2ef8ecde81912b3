"""What comes from a student's kernel: messages of bounded size and known form, whatever is sent.

The kernel is the student's, its key too: a signature says nothing here. A message is taken apart as JSON and built
again from the pieces that nbclient, nbformat, nbconvert and `transport` read; everything else is dropped.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType

import psutil
from jupyter_client.session import DELIM
from nbformat import NotebookNode
from nbformat.v4 import new_output

from grading.bridge import remote, wire
from grading.core import limit_messages, limits, messages, pictures, slow_texts

REPLY = "grading_reply"  # the type of the message that carries a reply to a hidden test
FRAME_BYTES = wire.MAX_BYTES + 2**20  # of a message, in all its frames: a reply to a hidden test is one
FRAMES = 1000  # of a message
LATEX = "text/latex"
TEXTS = ("text/plain", "text/html", "text/markdown", LATEX, "image/svg+xml")
OUTPUTS = ("stream", "display_data", "execute_result", "error", "update_display_data")
OF_CELLS = (*OUTPUTS, "status", "clear_output", "execute_input")  # each other one nbclient notes in the run's log
# In place of a reply that is not read: only an error's is ever so long, for it repeats the error.
TOO_LONG = {"status": "error", "ename": "TooLong", "evalue": messages.OUTPUT_CUT, "traceback": [messages.OUTPUT_CUT]}
STOPPED = "stopped"  # in the reply that stands for a stopped cell's; in one that comes from a kernel there is none
SIDE = 3_000  # pixels that a picture may ask for, so that ten thousand small ones leave the rest of a page in reach
WATCH_S = 0.1  # how often the memory of this process is looked at


def read(frames: list[bytes | None]) -> dict | None:
    """The message in the frames of one, or None for one that is not taken in; never an exception.

    None stands for a frame that was too long to be kept.
    """
    with contextlib.suppress(ValueError, RecursionError, KeyError, TypeError, AttributeError):
        start = frames.index(DELIM) + 2  # after the signature
        header, parent, _, content = frames[start : start + 4]
        buffers = frames[start + 4 : start + 5]
        if max(len(header), len(parent)) > limits.HEADER_BYTES or None in buffers:
            return None
        header, parent = json.loads(header), json.loads(parent)
        kind, asked = header["msg_type"], parent.get("msg_id")
        too_long = content is None or len(content) > limits.MESSAGE_BYTES or (kind in CONTENT and _takes_long(content))
        if too_long and kind == "execute_reply":
            content = _reply(TOO_LONG)
        elif too_long:
            kind, content = "stream", {"name": "stdout", "text": messages.OUTPUT_CUT}
        elif kind in CONTENT:
            content = CONTENT[kind](json.loads(content.decode("utf-8", "surrogatepass")))  # no UTF-16: see below
        else:
            return None
        return {
            "header": {"msg_type": kind},
            "msg_type": kind,
            "parent_header": {"msg_id": asked if isinstance(asked, str) else None},
            "metadata": {},
            "content": content,
            "buffers": buffers,
        }
    return None


def _takes_long(content: bytes) -> bool:
    """Whether reading a content, as UTF-8, would take long.

    It is one call in C, and nobody looks at the memory that all further messages fill meanwhile.
    """
    if len(content) <= limits.PLAIN_BYTES:
        return False
    quoted = content.replace(rb"\\", b"").replace(rb"\"", b"")
    if quoted.count(b'"') > limits.MESSAGE_PIECES:
        return True
    outside = b"".join(quoted.split(b'"')[::2])  # of all texts
    return sum(map(outside.count, (b"[", b"{", b","))) > limits.MESSAGE_PIECES


def _text(value: object) -> str:
    """A text that can be written to a file; lists of texts are joined, as in notebooks."""
    if isinstance(value, list):
        value = "".join(piece for piece in value if isinstance(piece, str))
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _count(content: dict) -> int | None:
    count = content.get("execution_count")
    return count if type(count) is int and 0 <= count < 2**31 else None


def _stream(content: dict) -> dict:
    return {"name": "stderr" if content["name"] == "stderr" else "stdout", "text": _text(content["text"])}


def _display(content: dict) -> dict:
    data = {kind: _text(content["data"][kind]) for kind in TEXTS if kind in content["data"]}
    shown = {kind: _text(content["data"].get(kind)) for kind in pictures.KINDS}
    data |= {kind: text for kind, text in shown.items() if pictures.pixels(text) is not None}
    made = {"data": data, "metadata": {kind: _size(content, kind) for kind in pictures.KINDS if kind in data}}
    name = (content.get("transient") or {}).get("display_id")
    return {**made, "transient": {"display_id": name} if isinstance(name, str) else {}}


def _size(content: dict, kind: str) -> dict:
    said = (content.get("metadata") or {}).get(kind) or {}
    return {name: said[name] for name in ("width", "height") if type(said.get(name)) is int and 0 < said[name] < SIDE}


def _error(content: dict) -> dict:
    lines = [_text(line) for line in content.get("traceback") or []]
    return {"ename": _text(content.get("ename")), "evalue": _text(content.get("evalue")), "traceback": lines}


def _reply(content: dict) -> dict:
    """What is read of a reply. nbgrader adds its error to the cell's outputs if no message told it: a short one."""
    if content.get("status") != "error":
        return {"status": "ok"}
    error = _error(content)
    if len(json.dumps(error)) > limits.PRINTED_CHARS:
        error = {**error, "ename": messages.short(error["ename"]), **_cut_error(error)}
    return {"status": "error", **error}


# By a message's type, what is taken over of its content.
CONTENT: dict[str, Callable[[dict], dict]] = {
    "stream": _stream,
    "display_data": _display,
    "update_display_data": _display,
    "execute_result": lambda content: {**_display(content), "execution_count": _count(content)},
    "error": _error,
    "clear_output": lambda content: {"wait": content.get("wait") is True},
    "execute_input": lambda content: {"execution_count": _count(content)},
    "status": lambda content: {"execution_state": "idle" if content["execution_state"] == "idle" else "busy"},
    "execute_reply": _reply,
    "kernel_info_reply": lambda content: {"status": "ok", "language_info": dict(content.get("language_info") or {})},
    REPLY: lambda content: {"token": _text(content["token"])},
}


def notes(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """What a student reads after a cell: the limit, where Python, NumPy or PyTorch got no memory."""
    for output in outputs:
        name, text = output.get("ename", ""), output.get("evalue", "")
        if name in ("MemoryError", "_ArrayMemoryError") or remote.NO_MEMORY in text:
            return [new_output("stream", name="stderr", text=limit_messages.process_memory())]
    return []


class Room:
    """What the outputs of a cell, and those of a whole notebook, may still take up.

    Where outputs are marks, the first of a cell that nbgrader takes for one is kept however little room is left.
    """

    def __init__(self, outputs_are_marks: bool = False) -> None:
        self.cell_chars, self.notebook_chars = 0, limits.NOTEBOOK_OUTPUT_CHARS
        self._outputs_are_marks, self._open = outputs_are_marks, False

    def next_cell(self) -> None:
        """Gives the next cell its room."""
        self.cell_chars, self._open = limits.OUTPUT_CHARS, self._outputs_are_marks

    def admits(self, message: dict, named: Mapping[str, Mapping[int, list[int]]] = MappingProxyType({})) -> bool:
        """Whether there was room left for a message; of one that is too long its start stays, as a text.

        It takes room in all places that will show it: by display id, `named` has outputs that do, by their cells. A
        picture takes as much as its file or its pixels, whichever is more.
        """
        if message["msg_type"] not in OUTPUTS:
            return True
        chars = max(len(json.dumps(message["content"])), _pixels(message) // limits.PIXELS_A_CHAR)
        size = _places(message, named) * (limits.OUTPUT_COST_CHARS + chars)
        left = min(self.cell_chars, self.notebook_chars)
        self.cell_chars, self.notebook_chars = self.cell_chars - size, self.notebook_chars - size
        if self._open and _is_mark(message):
            self._open = False
            if left < size:
                message["content"] = _cut(message["content"])
            return True
        if 0 <= left < size:
            text = _text(message["content"].get("text"))[:left]
            message["content"] = {"name": "stdout", "text": f"{text}\n{messages.OUTPUT_CUT}"}
            message["msg_type"] = message["header"]["msg_type"] = "stream"
        elif left >= size and LATEX in (data := message["content"].get("data", {})):
            data[LATEX] = slow_texts.eased(data[LATEX])  # which the Formgrader shows as it is
        return left >= 0


def _places(message: dict, named: Mapping[str, Mapping[int, list[int]]]) -> int:
    """How many outputs will show what a message holds: also those of its name, in this cell and earlier ones."""
    shown = sum(map(len, named.get(message["content"].get("transient", {}).get("display_id"), {}).values()))
    return shown if shown and message["msg_type"] == "update_display_data" else shown + 1


def _pixels(message: dict) -> int:
    """The pixels of all pictures in a message."""
    data = message["content"].get("data", {})
    return sum(pictures.pixels(data[kind]) or 0 for kind in pictures.KINDS if kind in data)


def _is_mark(message: dict) -> bool:
    """Whether nbgrader takes an output of a test for its mark: a result, an error, or any text on stderr."""
    return message["msg_type"] in ("execute_result", "error") or message["content"].get("name") == "stderr"


def _cut(content: dict) -> dict:
    """An output's content, its texts cut to what a message may have."""
    text, data = _text(content.get("text")), content.get("data", {})
    return {
        **content,
        "text": messages.short(text),
        "data": {"text/plain": messages.short(data["text/plain"])} if "text/plain" in data else {},
        **_cut_error(content),
    }


def _cut_error(content: dict) -> dict:
    return {"evalue": messages.short(_text(content.get("evalue"))), "traceback": [messages.OUTPUT_CUT]}


@contextlib.contextmanager
def watched(strike: Callable[[], None]):
    """Calls `strike` when this process has grown by more than limits.JUDGE_BYTES, as by a message that never ends."""
    process, over = psutil.Process(), threading.Event()
    before = process.memory_info().rss

    def watch() -> None:
        while not over.wait(WATCH_S):
            if process.memory_info().rss - before > limits.JUDGE_BYTES:
                strike()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
