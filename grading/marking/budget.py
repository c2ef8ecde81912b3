"""What the trusted process may spend on one hidden test of its own: processor time of its thread, and memory.

Sizes are bounded before anything is computed on what a student sent (`wire`, `rubric`, and what a course's tests do
themselves). This is the second line, for what these do not foresee: a test that takes much longer than on any right
answer is looking at data that are no answer, and ends with `TooMuch`. A long call in C is not interrupted; the test
ends when it returns.
"""

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator

import psutil

WATCH_S = 0.1  # how often a test is looked at
AGAIN_S = 1.0  # of its time, from one strike to the next: Python goes over what is raised as an object is cleared away
_here = threading.local()  # the watch over the test that this thread runs


class TooMuch(BaseException):
    """A test took more than it may. Not an Exception, so that nothing between the test and its judge swallows it."""


@contextlib.contextmanager
def limited(limit_s: float, memory_bytes: int) -> Iterator[None]:
    """Raises TooMuch in what stands in the block once its own processor time, or its memory, is more than it may be.

    An array that would be larger than memory_bytes by itself counts as well; any other MemoryError is ours.
    """
    watch = _here.watch = _Watch(memory_bytes)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        with watch.metered(limit_s):
            yield
    except MemoryError as error:  # NumPy's says what was asked for
        if getattr(error, "_total_size", 0) > memory_bytes:
            raise TooMuch from error
        raise
    finally:
        _here.watch = None
        watch.over.set()
        thread.join()


@contextlib.contextmanager
def aside(limit_s: float | None) -> Iterator[None]:
    """Counts what stands in the block by itself and not as the test's: against a limit of its own, or not at all."""
    watch = getattr(_here, "watch", None)
    with watch.metered(limit_s) if watch else contextlib.nullcontext():
        yield


class _Meter:
    """The processor time of one block: its limit, None for none, and what it has spent."""

    def __init__(self, limit_s: float | None) -> None:
        self.limit_s, self.spent_s, self.struck, self.next_s = limit_s, 0.0, False, 0.0


class _Watch:
    """Looks at one thread from another; of the blocks within one another the innermost is counted."""

    def __init__(self, memory_bytes: int) -> None:
        self.thread, self.memory_bytes = threading.get_ident(), memory_bytes
        self.process = psutil.Process()
        self.before = self.process.memory_info().rss
        self.meters: list[_Meter] = []
        self.lock, self.over, self.since = threading.Lock(), threading.Event(), self._now()

    def run(self) -> None:
        """Strikes whatever takes too much, until the test is over."""
        while not self.over.wait(WATCH_S):
            with self.lock:
                self._count()
                meter = self.meters[-1] if self.meters else None
                if meter is None or meter.limit_s is None or meter.spent_s < meter.next_s:
                    continue
                grown = self.process.memory_info().rss - self.before
                if meter.spent_s > meter.limit_s or grown > self.memory_bytes:
                    meter.struck, meter.next_s = True, meter.spent_s + AGAIN_S
                    self._raise(TooMuch)

    @contextlib.contextmanager
    def metered(self, limit_s: float | None) -> Iterator[None]:
        """Counts a block by itself. A strike that comes as it begins or ends hits what it was meant for, or nothing.

        Errors  TooMuch once it has taken more.
        """
        depth = len(self.meters)
        with self.lock:
            self._count()
            if self.meters and self.meters[-1].struck:
                self._take_back()
                raise TooMuch
            self.meters.append(_Meter(limit_s))
        try:
            yield
        finally:
            with self.lock:
                self._count()
                if any(meter.struck for meter in self.meters[depth:]):
                    self._take_back()
                del self.meters[depth:]

    def _count(self) -> None:
        now = self._now()
        if self.meters:
            self.meters[-1].spent_s += now - self.since
        self.since = now

    def _now(self) -> float:
        if hasattr(time, "pthread_getcpuclockid"):
            return time.clock_gettime(time.pthread_getcpuclockid(self.thread))
        return time.process_time()  # on systems without such clocks: that of all threads

    def _raise(self, error: type[BaseException]) -> None:
        """Makes the watched thread raise the error at its next step, in place of any that it has not raised yet."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(error))

    def _take_back(self) -> None:
        """Takes back an error that the watched thread, which calls this, has not raised yet.

        NULL would do that too, but CPython 3.11 then looks for errors at each step, and under a profile function
        does nothing else.
        """
        try:
            self._raise(_TakenBack)
            while True:  # until the next step
                pass
        except _TakenBack:
            return


class _TakenBack(BaseException):
    """What is raised in place of an error that is taken back, and caught at once."""
