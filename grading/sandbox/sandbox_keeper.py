"""The sandbox of one process of the judge's, kept from notebook to notebook so that nobody waits for an import."""

import atexit
import functools
import threading

from grading.core.course import Libraries
from grading.sandbox import bubblewrap
from grading.sandbox.host import Sandbox, SandboxError


class Pool:
    """The sandbox of one process: kept from notebook to notebook, and replaced when it is not as it was at first."""

    def __init__(
        self,
        walled: bool = True,
        granted: bubblewrap.Limits | None = None,
        gpu: bool = True,
        ahead: bool = True,
        libraries: Libraries = Libraries(),  # noqa: B008  (it is frozen)
    ) -> None:
        """Errors  SandboxError where walls are asked for and cannot stand."""
        if walled and (reason := bubblewrap.available()):
            raise SandboxError(str(reason))
        self._make = functools.partial(Sandbox, walled, granted, gpu, libraries)
        self._ahead, self._lock = ahead, threading.Lock()
        self._kept: Sandbox | None = self._make()
        atexit.register(self.close)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self) -> Sandbox:
        """A sandbox in which nothing of an earlier notebook is left.

        Errors  SandboxError if none can be started.
        """
        with self._lock:
            box, self._kept = self._kept, None
        if box is not None and not box.answers():
            box.close()
            box = None
        box = box or self._make()
        box.ready()
        return box

    def give_back(self, box: Sandbox) -> None:
        """Keeps a sandbox for the next notebook, whose kernel is forked meanwhile."""
        if self._ahead:
            box.fork_ahead()
        with self._lock:
            box, self._kept = self._kept, box
        if box is not None:
            box.close()

    def close(self) -> None:
        """Ends the sandbox, unless it is in use."""
        with self._lock:
            box, self._kept = self._kept, None
        if box is not None:
            box.close()


@functools.cache
def of_process(walled: bool, libraries: Libraries) -> Pool:
    """This process's sandboxes in which these libraries are loaded; SandboxError if the walls cannot stand here."""
    return Pool(walled, libraries=libraries)
