"""Submissions as they arrive, in nbgrader's exchange or in a folder: which are there, whole, and whose.

One is whole when everything that writes it has come to its end. nbgrader writes the secret last; what other programs
write must have lain still for a while, by a clock that nobody sets.
"""

import contextlib
import datetime
import hashlib
import os
import stat
import time
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc
from traitlets.config import Config

from grading.classroom.service import refusals
from grading.core import errors, messages, names
from grading.core.course import Course
from grading.submission import collected, extra_files, misplaced, safe_walk, times

STILL_S = {extra_files.SECRET: 0.2, extra_files.TIMESTAMP: 2.0}  # with this file in it; nbgrader writes them last
STILL_OTHERWISE_S = 5.0  # without: somebody copies it by hand
FOLDER_STILL_S = 1.0  # in a folder that another program fills
# Folders that are looked into at a time: those that one account on the system wrote in one student's name, and all of
# one account, which may be all students' on a hub. Each may hold thousands of names.
MOST_OF_ONE, MOST_OF_OWNER = 4, 40
# How long a look may take for folders of one account, the last one not counted: a folder of 5,000 files takes 0.06 s,
# or much longer over a network, and all others wait for the look's end, and ten times as long for the next one.
LOOK_AT_OWNER_S = 0.2
RESTLESS_S = 30.0  # a folder that was not still for so long makes room for others
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

        Errors  collected.TooLargeError, collected.UnreadableError, Unsettled if it changed; OSError if the copy fails.
        """


class Exchange:
    """The inbound folder of nbgrader's exchange: each submission is a new folder, and stays as it is."""

    def __init__(self, config: Config, course: Course, root: Path) -> None:
        """Errors  CourseError if the exchange is not a folder, or can't be read."""
        self._directory, factory = CourseDirectory(config=config), ExchangeFactory(config=config)
        if not issubclass(factory.collect, ExchangeCollect):
            raise errors.CourseError(
                "this course's exchange is not a folder. Set c.Watch.folder to where submissions arrive."
            )
        collect = factory.collect(coursedir=self._directory, authenticator=Authenticator(config=config), config=config)
        self.before_duedate, self._check_owner = collect.before_duedate, collect.check_owner
        self.folder = Path(collect.root) / self._directory.course_id
        self._course, self._root, self._still = course, root, _Still()
        if not Path(collect.root).is_dir():
            raise errors.CourseError(
                f"nbgrader's exchange {names.path(Path(collect.root))} doesn't exist. In nbgrader_config.py set "
                "c.Exchange.root to your exchange, or c.Watch.folder to the folder where submissions arrive."
            )

    @property
    def _inbound(self) -> Path:
        return self.folder / "inbound"

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """Those that are whole and not known; CourseError if the exchange is gone."""
        middle = f"+{self._course.name}+"
        if not self._inbound.is_dir():
            raise errors.CourseError(self._why_not())
        found = [name for name in _names(self._inbound) if middle in name and (name, "") not in known]
        self._still.forget_all_but(found)
        found.sort(key=lambda name: (self._still.is_restless(name), name.rsplit(middle, 1)[1]))  # the time it claims
        looked_into, spent_s = Counter(), Counter()  # folders by their student and owner, and by owner; time by owner
        for name in found:
            if not safe_walk.is_folder(self._inbound / name):
                continue
            student, owner = name.rsplit(middle, 1)[0], self._owner(name)
            looked_into.update(((student, owner), owner))
            # The others when these have arrived: a later one replaces them.
            many = looked_into[student, owner] > MOST_OF_ONE or looked_into[owner] > MOST_OF_OWNER
            if many or spent_s[owner] > LOOK_AT_OWNER_S:
                continue
            began, place = time.monotonic(), self._inbound / name
            there = (file for file in STILL_S if safe_walk.is_there(place / file))
            state = self._still.state(name, place, min((STILL_S[file] for file in there), default=STILL_OTHERWISE_S))
            spent_s[owner] += time.monotonic() - began
            if state is not None:
                yield self._arrival(name)

    def _owner(self, name: str) -> int | None:
        """Who wrote a folder: its owner on the system; None if it is gone by now."""
        with contextlib.suppress(OSError):
            return os.lstat(self._inbound / name).st_uid
        return None

    def _why_not(self) -> str:
        """Why nothing can arrive, and what to do."""
        if not self.folder.parent.is_dir():
            return f"nbgrader's exchange {names.whole_path(self.folder.parent)} is gone. Mount it, or put it back."
        name, exchange = self._course.name, names.whole_path(self.folder)
        return f"{name} isn't in the exchange {exchange} yet. Release it: nbgrader release_assignment {name}."

    def again(self, name: str, state: str) -> Arrival | None:
        """One that was given before; None if it is gone."""
        return self._arrival(name) if safe_walk.is_folder(self._inbound / name) else None

    def take(self, arrival: Arrival) -> list[str]:
        """Copies one into submitted/, and notes when it was made."""
        kept = _take(self._directory, arrival, self._root / "submitted" / arrival.student / self._course.name)
        times.note(self._root, arrival.student, arrival.made)
        return kept

    def _arrival(self, name: str) -> Arrival:
        student, source = name.rsplit(f"+{self._course.name}+", 1)[0], self._inbound / name
        made, refused = None, _trouble(student, self._inbound)
        try:
            made = times.in_exchange(source, _claimed(name, self._course))
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):  # of a time that is none
            refused = refused or messages.NAME_IN_EXCHANGE
        owner, noticed = _owner(source) if self._check_owner else student, ""
        if self._check_owner and self._owner(name) == os.geteuid():  # on a hub where all are one account
            noticed = refusals.owned_by_grader(owner) if owner != student else ""
        elif owner != student:
            refused = refused or refusals.owned_by(owner)
        return Arrival(name, "", student, source, made, refused, noticed)


class Folder:
    """A folder with FOLDER/STUDENT/ASSIGNMENT/, which other programs fill; submitted/ itself may be it."""

    before_duedate = False
    folder = None

    def __init__(self, folder: Path, config: Config, course: Course, root: Path) -> None:
        self._folder, self._course, self._root = folder.resolve(), course, root
        self._directory, self._still = CourseDirectory(config=config), _Still()

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """Those that are whole and not known; CourseError if the folder is gone."""
        found = [
            name
            for name in _names(self._folder)
            if not name.startswith(".") and safe_walk.is_folder(self._source(name))
        ]
        wrong = {name: why for name in _names(self._folder) if name not in found and (why := self._misplaced(name))}
        self._still.forget_all_but([*found, *wrong])
        for name in sorted(found):
            state = self._still.state(name, self._source(name), FOLDER_STILL_S)
            if state is not None and (name, state) not in known:
                yield self._arrival(name, state)
        for name, why in sorted(wrong.items()):
            state = self._still.state(name, self._folder / name, STILL_OTHERWISE_S)
            if state is not None and (name, why) not in known:
                yield Arrival(name, why, name, self._source(name), None, _trouble(name, self._folder) or why)

    def again(self, name: str, state: str) -> Arrival | None:
        """One that was given before; None if it is gone, or other than it was."""
        there = safe_walk.is_folder(self._source(name)) and _state(self._source(name)) == state
        return self._arrival(name, state) if there else None

    def take(self, arrival: Arrival) -> list[str]:
        """Copies one into submitted/, unless it lies there; nobody knows when it was made."""
        place = self._root / "submitted" / arrival.student / self._course.name
        return [] if arrival.source.resolve() == place.resolve() else _take(self._directory, arrival, place)

    def _source(self, name: str) -> Path:
        return self._folder / name / self._course.name

    def _misplaced(self, name: str) -> str:
        """Why what lies under a name is never graded, where somebody meant it to be; empty where nobody did."""
        source = self._source(name)
        if misplaced.is_beside(self._folder / name, self._course):
            return misplaced.reason(names.whole_path(self._folder), self._course)
        try:
            return refusals.linked(names.whole_path(source)) if stat.S_ISLNK(os.lstat(source).st_mode) else ""
        except PermissionError as error:  # it is looked at again, and found once it is open
            return refusals.closed(names.whole_path(self._folder / name), error.strerror)
        except OSError:
            return ""

    def _arrival(self, name: str, state: str) -> Arrival:
        return Arrival(name, state, name, self._source(name), None, _trouble(name, self._folder))


class _Still:
    """Since when folders have been as they are, and since when they are looked at."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, float, float]] = {}  # state, since when it is that, when first looked at

    def is_restless(self, name: str) -> bool:
        """Whether a folder was looked at for long and is not still yet: its author may see to it that it never is."""
        return name in self._seen and time.monotonic() - self._seen[name][2] > RESTLESS_S

    def state(self, name: str, folder: Path, wait_s: float) -> str | None:
        """The state of a folder if it has been the same for so long; else None."""
        state, now = _state(folder), time.monotonic()
        before, since, first = self._seen.get(name, ("", now, now))
        if state != before:
            self._seen[name] = state, now, first
            return None
        return state if now - since >= wait_s else None

    def forget_all_but(self, names_left: list[str]) -> None:
        self._seen = {name: self._seen[name] for name in names_left if name in self._seen}


def _take(directory: CourseDirectory, arrival: Arrival, place: Path) -> list[str]:
    before = _state(arrival.source)
    kept = collected.take(directory, arrival.source, place)
    if _state(arrival.source) != before:
        raise Unsettled
    return kept


def _state(folder: Path) -> str:
    """A text that is another when any file below a folder is; no file is opened."""
    out = hashlib.sha256()
    with contextlib.suppress(OSError), safe_walk.opened(folder) as opened:  # it may be gone by now, or hold too much
        for found in safe_walk.below(opened):
            status = found.status
            seen = (found.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            out.update(os.fsencode(repr(seen)))
    return out.hexdigest()


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise errors.CourseError(f"{names.whole_path(folder)} can't be read: {error.strerror}.") from None


def _trouble(student: str, folder: Path) -> str:
    """Why nobody is graded under a name that was found in a folder; empty for a name that is fine."""
    return names.trouble(student, names.whole_path(folder)) or ""


def _claimed(name: str, course: Course) -> datetime.datetime:
    """The time in the name of a folder in the exchange: STUDENT+ASSIGNMENT+TIME, or with +RANDOM at the end."""
    return parse_utc(name.rsplit(f"+{course.name}+", 1)[1].partition("+")[0])


def _owner(folder: Path) -> str:
    try:
        return folder.owner()
    except (KeyError, OSError):  # the system has no name for it, as in a container, or the folder is gone by now
        return "that has no name here"
