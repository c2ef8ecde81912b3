"""Folders that others write to: whether one has been as it is for a while, so that it is whole.

A submission is whole when everything that writes it has come to its end: when it has lain still for a while, by a clock
that nobody sets.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from grading.classroom.service.arrivals import Arrival, Unsettled
from grading.core import errors, names
from grading.submission import collected, folder_status, safe_walk

OTHERWISE_S = 5.0  # for what somebody copies by hand
RESTLESS_S = 30.0  # a folder that was not still for so long makes room for others


class Still:
    """Since when folders have been as they are, and since when they are looked at."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, float, float]] = {}  # state, since when it is that, when first looked at

    def is_restless(self, name: str) -> bool:
        """Whether a folder was watched for long and still changes: its author may make sure that it always does."""
        return name in self._seen and time.monotonic() - self._seen[name][2] > RESTLESS_S

    def state(self, name: str, folder: Path, wait_s: float) -> str | None:
        """The state of a folder if it has been the same for so long; else None."""
        state, now = fingerprint(folder), time.monotonic()
        before, since, first = self._seen.get(name, ("", now, now))
        if state != before:
            self._seen[name] = state, now, first
            return None
        return state if now - since >= wait_s else None

    def forget_all_but(self, names_left: Iterable[str]) -> None:
        """Forgets the others, which are gone or have been taken."""
        self._seen = {name: self._seen[name] for name in names_left if name in self._seen}


def taken(
    directory: CourseDirectory, arrival: Arrival, place: Path, before: Callable[[], None] = lambda: None
) -> list[str]:
    """Copies a submission to its place, as it was when the copy began; a line about each copy kept of what was there.

    `before` is called once all is copied and nothing has changed, before the copy takes its place.
    Errors  collected.TooLargeError, collected.UnreadableError, Unsettled if it changed; OSError if the copy fails. Then
            what was there is as it was.
    """
    was = fingerprint(arrival.source)

    def ready() -> None:
        if fingerprint(arrival.source) != was:
            raise Unsettled
        before()

    return collected.take(directory, arrival.source, place, ready)


def fingerprint(folder: Path) -> str:
    """A text that changes whenever any file below a folder does; no file is opened."""
    out = hashlib.sha256()
    with contextlib.suppress(OSError), safe_walk.opened(folder) as opened:  # it may be gone by now, or hold too much
        for found in safe_walk.below(opened):
            out.update(os.fsencode(repr(folder_status.seen(found.path, found.status))))
    return out.hexdigest()


def listed(folder: Path) -> list[str]:
    """The names in a folder where submissions arrive.

    Errors  CourseError if it can't be read.
    """
    try:
        return os.listdir(folder)
    except OSError as error:
        raise closed(folder, error) from None


def closed(place: Path, error: OSError) -> errors.CourseError:
    """The error that says why a folder where submissions arrive can't be read."""
    return errors.CourseError(f"{names.whole_path(place)} can't be read: {error.strerror}.")
