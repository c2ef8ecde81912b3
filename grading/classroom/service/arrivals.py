"""Submissions as they arrive: what is known of one, and what a place does where they arrive."""

import datetime
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Key = tuple[str, str]


@dataclass(frozen=True)
class Arrival:
    """A submission that is complete in `source`: its name there, and a state that changes whenever its files do.

    `made` is when it was submitted, in UTC, if anybody knows; `refused` says why it is not graded, `noticed` what an
    instructor should know, `unknown` why nobody knows now whether it is refused.
    """

    name: str
    state: str
    student: str
    source: Path
    made: datetime.datetime | None = None
    refused: str = ""
    noticed: str = ""
    unknown: str = ""

    @property
    def key(self) -> Key:
        """What distinguishes it from all others, including earlier ones of the same name."""
        return self.name, self.state


class Refused(Exception):
    """Nobody may be graded by a submission, as it lies there now; the text says why."""


class Unsettled(Exception):
    """A submission was written to while it was read."""


class Source(Protocol):
    """A place where submissions arrive; `folder` is that of the course in nbgrader's exchange.

    instructors     the accounts that may own it; None: any
    before_duedate  whether a late submission counts for nothing if an earlier one was on time
    """

    folder: Path | None
    instructors: frozenset[int] | None
    before_duedate: bool

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """The complete submissions that are not `known` yet; CourseError if the place can't be read."""

    def again(self, name: str, state: str) -> Arrival | None:
        """A submission that `look` gave before; None if it is gone or has changed.

        Errors  CourseError if nobody knows, because the place is away: what is gone never arrives again.
        """

    def newer_waits(self, name: str) -> bool:
        """Whether a newer submission of the same student's lies there that `look` has yet to give."""

    def take(self, arrival: Arrival) -> list[str]:
        """Copies a submission into submitted/, and notes its time; a line about each copy that was kept of old files.

        Errors  Refused, collected.TooLargeError, collected.UnreadableError, Unsettled if it changed; OSError if the
                copy fails.
        """
