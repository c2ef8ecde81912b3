"""Submissions as they arrive: what is known of one, and what a place does where they arrive."""

import datetime
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Key = tuple[str, str]


@dataclass(frozen=True)
class Arrival:
    """A submission that lies whole in `source`: its name there, and a state that is another when its files are.

    `made` is when it was submitted, in UTC, if anybody knows; `refused` says why nobody is graded by it, `noticed` what
    an instructor should know.
    """

    name: str
    state: str
    student: str
    source: Path
    made: datetime.datetime | None = None
    refused: str = ""
    noticed: str = ""

    @property
    def key(self) -> Key:
        """What tells it from all others, earlier ones of the same name among them."""
        return self.name, self.state


class Refused(Exception):
    """Nobody may be graded by a submission, as it lies there now; the text says why."""


class Unsettled(Exception):
    """A submission was written to while it was read."""


class Source(Protocol):
    """A place where submissions arrive; `folder` is that of the course in nbgrader's exchange.

    before_duedate  whether one that is late counts for nothing where another was in time
    """

    folder: Path | None
    before_duedate: bool

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """Those that are whole and not known; CourseError if the place can't be read."""

    def again(self, name: str, state: str) -> Arrival | None:
        """One that was given before; None if it is gone, or other than it was."""

    def take(self, arrival: Arrival) -> list[str]:
        """Copies one into submitted/, and notes when it was made; a line about each copy kept of what was there.

        Errors  Refused, collected.TooLargeError, collected.UnreadableError, Unsettled if it changed; OSError if the
                copy fails.
        """
