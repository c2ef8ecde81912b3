"""For a terminal: what runs, for how long, and how long it may take, in a line that is taken away again."""

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

from grading.classroom.progress import duration

REDRAW_S = 1.0
QUIET_S, LONG_S = 2.0, 20.0  # what ends before the first needs no words; after the second, somebody may wait in vain


def said(what: str, seconds: float, limit_s: float) -> str:
    """What runs, and since when: nothing of the time as long as it is short."""
    if seconds < QUIET_S:
        return what
    stops = ". Ctrl-C stops it" if seconds > LONG_S else ""
    return f"{what}running for {duration(seconds)}, of {duration(limit_s)} at most{stops}"


def draw(text: str, out: TextIO) -> None:
    """Puts a text in the place of the line that was drawn last."""
    out.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
    out.flush()


@contextlib.contextmanager
def shown(what: str, limit_s: float) -> Iterator[None]:
    """Says every second what runs in the block, and since when, if standard output is a terminal; then `what` alone."""
    out, started, over = sys.stdout, time.monotonic(), threading.Event()
    terminal = out.isatty()

    def run() -> None:
        while not over.wait(REDRAW_S):
            draw(said(what, time.monotonic() - started, limit_s), out)

    thread = threading.Thread(target=run, daemon=True)
    if terminal:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if terminal:
            thread.join()
            draw(what, out)
