"""Where the time of this process goes: functions that note how long each of their calls takes, and a table of that."""

import functools
import time
from collections.abc import Iterable

Step = tuple[object, str, str]  # whose function it is, its name, and what the table calls it
Spent = dict[str, list[tuple[float, float]]]  # of each call, seconds by the clock and of this process's computing


def noted(steps: Iterable[Step]) -> Spent:
    """What the calls of these functions take from now on."""
    spent: Spent = {label: [] for _, _, label in steps}
    for owner, name, label in steps:
        _note(owner, name, spent[label])
    return spent


def table(title: str, spent: Spent, number: int, digits: int) -> str:
    """Milliseconds of each step for one of so many, with digits after the point; a line each, in their order."""
    lines = [f"{title:<48} clock   computing here"]
    for label, calls in spent.items():
        clock, computing = (1000 * sum(found) / number for found in zip(*calls, strict=True))
        lines.append(f"{label:<48} {clock:>5.{digits}f} {computing:>16.{digits}f}")
    return "\n".join(lines)


def _note(owner: object, name: str, spent: list[tuple[float, float]]) -> None:
    function = getattr(owner, name)

    @functools.wraps(function)
    def timed(*args: object, **kwargs: object) -> object:
        clock, own = time.perf_counter(), time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            spent.append((time.perf_counter() - clock, time.process_time() - own))

    setattr(owner, name, timed)
