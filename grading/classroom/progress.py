"""What is shown while a class is graded: a bar on a terminal, plain lines elsewhere, or nothing; then a summary."""

import shutil
import sys
import time
from collections.abc import Callable

SLOWEST = 5  # students that the summary names
REDRAW_S = 1.0
BAR_CHARS = 24


class Progress:
    """Counts students, and prints lines about them, above the bar."""

    def __init__(self, students: int, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._all, self._quiet, self._clock = students, quiet, clock
        self._terminal = sys.stdout.isatty() and not quiet
        self._started, self._drawn = clock(), 0.0
        self.done = self.kept = self.failed = 0

    def add(self, line: str, failed: bool = False, kept: bool = False) -> None:
        """Counts one more student as done; `kept` if there was nothing to do."""
        self.done, self.failed, self.kept = self.done + 1, self.failed + failed, self.kept + kept
        if self._terminal:
            if failed:
                self._write(f"{line}\n")
            self.tick(now=True)
        elif not self._quiet and not kept:
            print(f"[{self.done}/{self._all}] {line}", flush=True)

    def say(self, line: str) -> None:
        """Prints a line about a student who is not done yet."""
        if self._terminal:
            self._write(f"{line}\n")
            self.tick(now=True)
        elif not self._quiet:
            print(line, flush=True)

    def tick(self, now: bool = False) -> None:
        """Draws the bar again, once a second."""
        if self._terminal and (now or self._clock() - self._drawn > REDRAW_S):
            self._drawn = self._clock()
            self._write(self.bar()[: shutil.get_terminal_size().columns - 1])

    def bar(self) -> str:
        """The bar: students done, rate, time left, and how many are not graded."""
        graded, seconds = self.done - self.kept, self._clock() - self._started
        filled = BAR_CHARS * self.done // max(self._all, 1)
        out = f"[{'#' * filled}{'.' * (BAR_CHARS - filled)}] {self.done}/{self._all} students"
        if graded:
            out += f", {60 * graded / max(seconds, 1e-9):.1f} a minute"
            if self.done < self._all:
                out += f", {duration(seconds / graded * (self._all - self.done))} left"
        return out + (f", {self.failed} not graded" if self.failed else "")

    def end(self) -> None:
        """Takes the bar away."""
        if self._terminal:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stdout.write(f"\r\x1b[K{text}")
        sys.stdout.flush()


def duration(seconds: float) -> str:
    """A time as one says it: 45 s, 12 min, 3 h 20 min."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def summary(seconds: float, times: dict[str, float], struck: dict[str, list[str]], kept: int, failed: int) -> list[str]:
    """Lines for the end: how many in what time, the slowest students, and what hit a limit."""
    head = f"{len(times)} graded in {duration(seconds)}"
    head += f" ({60 * len(times) / max(seconds, 1e-9):.1f} a minute)" if times else ""
    head += f", {kept} unchanged since they were graded" if kept else ""
    lines = [head + (f", {failed} not graded." if failed else ".")]
    slowest = sorted(times.items(), key=lambda item: (-item[1], item[0]))[:SLOWEST]
    if len(times) > 1:
        lines.append("Slowest: " + ", ".join(f"{student} {duration(taken)}" for student, taken in slowest) + ".")
    if any(struck.values()):
        lines.append("Stopped at a limit:")
        lines += [f"  {student}, {text}" for student, texts in sorted(struck.items()) for text in texts]
    return lines
