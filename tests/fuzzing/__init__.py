"""Fuzzers: random, hostile input for what stands between a submission and its mark, each case from a seed and a number.

A case draws all that it does from its own `random.Random`, so that its seed and its number repeat it. The tests run a
fixed number of cases; `make fuzz` runs as many as asked for, and prints what repeats each failure.
"""

import contextlib
import random
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

SEED = 15763  # of the cases that the tests run: the first 30 of `channels` hold each of its attacks
SHOWN_CHARS = 3_000  # of a failure's traceback


@dataclass(frozen=True)
class Fuzzer:
    """What is fuzzed: `case` raises if something does not hold; a case that takes longer than `limit_s` hangs."""

    name: str
    case: Callable[[random.Random], None]
    limit_s: float


@dataclass(frozen=True)
class Failure:
    """A case in which something did not hold."""

    fuzzer: str
    seed: int
    number: int
    error: str

    def __str__(self) -> str:
        again = f"python benchmarks/fuzz.py --only {self.fuzzer} --seed {self.seed} --first {self.number} --cases 1"
        return f"{self.fuzzer}, seed {self.seed}, case {self.number}. To repeat it: {again}\n{self.error}"


class Hangs(BaseException):
    """A case took too long. Not an Exception, so that no handler on the way takes it for one of its own."""


def numbers(fuzzer: str, seed: int, number: int) -> random.Random:
    """The random numbers of a case: the same in every process and Python."""
    return random.Random(f"{fuzzer} {seed} {number}")


def run(fuzzer: Fuzzer, seed: int, cases: range) -> Iterator[Failure | None]:
    """Runs cases; for each None, or how it failed."""
    for number in cases:
        error = ""
        try:
            with _limit(fuzzer.limit_s):
                fuzzer.case(numbers(fuzzer.name, seed, number))
        except Hangs:
            error = f"It was not over after {fuzzer.limit_s:g} s.\n{traceback.format_exc()}"
        except Exception:  # noqa: BLE001  (whatever it is, it is the failure)
            error = traceback.format_exc()
        yield Failure(fuzzer.name, seed, number, error[-SHOWN_CHARS:]) if error else None


def failures(fuzzer: Fuzzer, cases: int) -> str:
    """The failures among the first cases of the tests' seed, with what repeats them; "" if there are none."""
    return "\n\n".join(str(failure) for failure in run(fuzzer, SEED, range(cases)) if failure)


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raises Hangs here when the time is over, and again every second, should it be swallowed."""

    def strike(number: int, frame: FrameType | None) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
