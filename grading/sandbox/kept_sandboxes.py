"""Sandboxes that are kept from notebook to notebook, so that nobody waits for an import.

`SANDBOXES` is one object for the whole process. Nothing of nbgrader's could hold them: a run may grade no more than one
student, and nbgrader makes whatever takes part in it again for the next one. It holds them by course, so that no course
ever gets a sandbox of another one's.
"""

import atexit
import functools
import threading

from grading.core.course import Course, Libraries
from grading.sandbox import bubblewrap, course_package, sandbox_limits
from grading.sandbox.host import Sandbox, SandboxError

KEPT = 2  # courses whose sandboxes stay: a process grades one course, or a few in turns; each holds libraries


class Pool:
    """A sandbox that is kept from notebook to notebook, and replaced when it is not as it was at first."""

    def __init__(
        self,
        walled: bool = True,
        granted: sandbox_limits.Limits | None = None,
        gpu: bool = True,
        ahead: bool = True,
        libraries: Libraries = Libraries(),  # noqa: B008  (it is frozen)
    ) -> None:
        package = course_package.read(libraries.package)
        self.package = package if walled else {}  # what is behind the walls of each
        self._make = functools.partial(Sandbox, walled, granted, gpu, libraries, package)
        self._ahead, self._lock, self._closed = ahead, threading.Lock(), False
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

    @property
    def gpu(self) -> bool:
        """Whether the sandbox that is kept computes on a GPU."""
        return self._kept is not None and self._kept.gpu

    def give_back(self, box: Sandbox) -> None:
        """Keeps a sandbox for the next notebook, whose kernel is forked meanwhile; ends it if there will be none."""
        if self._ahead and not self._closed:
            box.fork_ahead()
        with self._lock:
            if not self._closed:
                box, self._kept = self._kept, box
        if box is not None:
            box.close()

    def wait_for_process(self) -> None:
        """Waits until the sandbox has a process, so that a fork of this one can take it over."""
        self._kept.wait_for_process()

    def leave(self) -> None:
        """Leaves the sandbox to a process that was forked from this one."""
        self._kept.leave()

    def close(self) -> None:
        """Ends the sandbox: at once, or if it is in use, when it comes back."""
        with self._lock:
            self._closed = True
            box, self._kept = self._kept, None
        if box is not None:
            box.close()
        atexit.unregister(self.close)


class Sandboxes:
    """The sandboxes of each course that is graded here, for the courses that were graded last."""

    def __init__(self) -> None:
        self._pools: dict[tuple[Course, bool], Pool] = {}  # by course and whether it is walled; the oldest first
        self._lock = threading.Lock()

    def of_course(self, course: Course, walled: bool) -> Pool:
        """The sandboxes in which the notebooks of this course run, and no other ones.

        Errors  SandboxError if the walls cannot stand here.
        """
        if walled and (reason := bubblewrap.available()):
            raise SandboxError(str(reason))
        return self._of_course(course, walled)

    def begin(self, course: Course) -> None:
        """Begins a sandbox of this course before anybody knows whether its walls can stand here, which takes a while.

        Returns once it has a process, which a fork of this one can take over, or once there can be none.
        """
        self._of_course(course, True).wait_for_process()

    def _of_course(self, course: Course, walled: bool) -> Pool:
        with self._lock:
            pool = self._pools.pop((course, walled), None) or Pool(walled, libraries=course.libraries)
            self._pools[course, walled] = pool
            given_up = list(self._pools)[:-KEPT]
            for each in given_up:
                self._pools.pop(each).close()
        return pool

    def leave(self) -> None:
        """Leaves all to a process that was forked from this one; what is left of them ends when this one does."""
        with self._lock:
            while self._pools:
                self._pools.popitem()[1].leave()

    def close(self) -> None:
        """Ends all that are not in use; the next notebook gets a new one."""
        with self._lock:
            while self._pools:
                self._pools.popitem()[1].close()


SANDBOXES = Sandboxes()
