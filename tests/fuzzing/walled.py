"""The same connections, spoilt from within: a student's code, behind the real walls, finds the kernel's sockets.

One pool serves all cases, so that each notebook, and the honest one after it, runs where the last one ran.
"""

import contextlib
import functools
import logging
import random
import tempfile
import time
from collections.abc import Iterator
from unittest import mock

import busy
import nbformat

from attention.course import COURSE
from dev.course_copy import CONFIGURED
from fuzzing import Fuzzer, channels, messages, spoil
from grading.core import limits
from grading.judge import execution, incoming
from grading.sandbox import sandbox_limits
from grading.sandbox.kept_sandboxes import SANDBOXES, Pool

MOMENTS = ("cell", "between cells", "request", "always")
LIMITS = {
    "CALL_LIMIT_S": 0.5,
    "TEST_LIMIT_S": 1.0,
    "TESTS_LIMIT_S": 1.5,
    "GRACE_S": 0.3,
    "RESPONSE_LIMIT_S": 0.5,
    "SILENCE_LIMIT_S": 5.0,
    "JUDGE_BYTES": 256 * 2**20,
}
CELL_S, OUTPUTS_S, NOTEBOOK_S, SLACK_S = 1.0, 0.5, 20.0, 20.0
# What a student's cell defines; `_spoil` does to the kernel's connections what the case says.
SPOIL = """
import os, random, socket, threading, time
def _spoil(pieces={pieces}, how={how}, seed={seed}, share={share}):
    chosen, nowhere = random.Random(seed), os.open(os.devnull, os.O_RDWR)
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            connection = socket.socket(fileno=os.dup(int(name)))
            if connection.family != socket.AF_UNIX or chosen.random() > share:
                continue
            connection.setblocking(False)
            for piece in pieces:
                connection.send(piece)
            if how == "close":
                os.close(int(name))
            elif how == "replace":
                os.dup2(nowhere, int(name))
        except OSError:
            pass
    os.close(nowhere)
"""
STARTS = {
    "cell": "_spoil()",
    "between cells": "threading.Timer(0.02, _spoil).start()",
    "request": "_right = attention_logits\ndef attention_logits(*given):\n    _spoil()\n    return _right(*given)",
    "always": "def _always():\n    while True:\n        _spoil()\n        time.sleep(0.01)\n"
    "threading.Thread(target=_always, daemon=True).start()",
}


class Quick(execution.Judge):
    """The judge, with small limits where nbclient holds them."""

    timeout, iopub_timeout = CELL_S, OUTPUTS_S


def case(rng: random.Random) -> None:
    """One notebook that spoils its kernel's connections, and an honest one after it."""
    moment = rng.choice(MOMENTS)
    how = rng.choice((None, None, None, "close", "replace"))
    pieces = [piece(rng) for _ in range(rng.randint(0 if how is not None else 1, 3))]
    share = rng.choice((0.3, 1.0))
    code = SPOIL.format(pieces=pieces, how=repr(how), seed=rng.randrange(2**32), share=share) + STARTS[moment]
    try:
        run(code)
        assert run(None) == channels.PART.automatic, "the next notebook has other marks"
    except BaseException as error:
        error.add_note(f"{moment}, then {how}: {[piece[:40] for piece in pieces]}")
        raise


def piece(rng: random.Random) -> bytes:
    """Some bytes for a connection."""
    match rng.randrange(6):
        case 0:
            return rng.randbytes(rng.choice((1, 100, 20_000)))
        case 1:
            return channels.announced([rng.choice((0, 2**20, 2**31, 2**32 - 1)) for _ in range(rng.randint(1, 3))])
        case 2:
            return channels.announced([0] * rng.choice((1, incoming.FRAMES - 1, incoming.FRAMES + 1)))[:-4]
        case 3:
            return channels.whole([b""]) * rng.choice((1, 5_000))
        case 4:
            return channels.whole([]) * rng.choice((1, 5_000))
        case _:
            return spoil.spoilt(channels.whole(messages.message(rng)), rng)


def run(code: str | None) -> float:
    """The marks of a notebook with a cell of this code."""
    notebook, started = channels.notebook(), time.monotonic()
    if code is not None:
        notebook.cells[2].source = code
        notebook.cells.insert(3, nbformat.v4.new_code_cell("print('more')", id="own-2"))
    with _surroundings(code is not None), tempfile.TemporaryDirectory() as folder:
        runs = (Quick if code is not None else execution.Judge)(config=CONFIGURED)
        runs.log = logging.getLogger("fuzzing")
        runs.log.disabled = True
        runs.preprocess(notebook, {"metadata": {"path": folder, "name": "notebook"}})
    taken_s = time.monotonic() - started
    assert taken_s < busy.patience(NOTEBOOK_S + SLACK_S), f"it took {taken_s:.1f} s"
    nbformat.validate(notebook)
    marked = channels.marks(notebook)
    assert 0.0 <= marked <= channels.PART.automatic
    return marked


@functools.cache
def pool() -> Pool:
    """The sandboxes of all cases."""
    return Pool(granted=sandbox_limits.Limits(notebook_s=NOTEBOOK_S), libraries=COURSE.libraries)


@contextlib.contextmanager
def _surroundings(small: bool) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(SANDBOXES, "of_course", lambda *_: pool()))
        if small:
            stack.enter_context(mock.patch.multiple(limits, **LIMITS))
            stack.enter_context(mock.patch.object(incoming, "FRAME_BYTES", 32 * 2**20))
        yield


FUZZER = Fuzzer("walled", case, limit_s=120.0)
