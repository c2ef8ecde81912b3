"""The sandboxes of one process of the judge's, kept and started ahead so that nobody waits for an import."""

import atexit
import functools
import threading
from pathlib import Path

from grading import walls
from grading.sandbox import Sandbox, SandboxError


class Pool:
    """The sandboxes of one process: the current student's, kept from notebook to notebook, and the next one's."""

    def __init__(self, walled: bool = True, granted: walls.Limits | None = None, gpu: bool = True, ahead: bool = True):
        """Errors  SandboxError where walls are asked for and cannot stand."""
        if walled and (reason := walls.available()):
            raise SandboxError(reason)
        self._make = functools.partial(Sandbox, walled, granted, gpu)
        self._ahead, self._lock = ahead, threading.Lock()
        self._kept: Sandbox | None = None
        self._spare: Sandbox | None = None
        atexit.register(self.close)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, folder: Path | None) -> Sandbox:
        """A sandbox for a student's folder: the same as before while it is alive, else a fresh one.

        Errors  SandboxError if none can be started.
        """
        with self._lock:
            box, self._kept = self._kept, None
        if box is not None and (box.folder != folder or not box.answers()):
            box.close()
            box = None
        if box is None:
            with self._lock:
                box, self._spare = self._spare or self._make(), None
            box.folder = folder
        box.ready()
        self.warm()
        return box

    def give_back(self, box: Sandbox) -> None:
        """Keeps a sandbox for the student's next notebook, whose kernel is forked meanwhile."""
        if self._ahead:
            box.fork_ahead()
        with self._lock:
            box, self._kept = self._kept, box
        if box is not None:
            box.close()

    def warm(self) -> None:
        """Starts the next student's sandbox ahead."""
        with self._lock:
            if self._ahead and self._spare is None:
                self._spare = self._make()

    def close(self) -> None:
        """Ends all sandboxes that are not in use."""
        with self._lock:
            boxes, self._kept, self._spare = [self._kept, self._spare], None, None
        for box in boxes:
            if box is not None:
                box.close()
