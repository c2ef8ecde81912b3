"""Submissions as they arrive in nbgrader's exchange. nbgrader writes a submission's secret last."""

import datetime
import errno
import os
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc
from traitlets.config import Config

from grading.classroom.service import accounts, inbound, refusals, stillness
from grading.classroom.service.arrivals import Arrival, Key, Refused
from grading.classroom.service.journal import HOUR_S
from grading.core import errors, messages, names
from grading.core.course import Course
from grading.submission import exchange_folder, extra_files, safe_walk, times

# How long one must have lain still with this file in it; nbgrader writes them last.
STILL_S = {extra_files.SECRET: 0.2, extra_files.TIMESTAMP: 2.0}
# Folders that are looked into at a time: those that one account on the system wrote in one student's name, and all of
# one account, which may be all students' on a hub. Each may hold thousands of names.
MOST_OF_ONE, MOST_OF_OWNER = 4, 40
# How long a look may take for folders of one account, the last one not counted: a folder of 5,000 files takes 0.06 s,
# or much longer over a network, and all others wait for the look's end, and ten times as long for the next one.
LOOK_AT_OWNER_S = 0.2
# Folders of one student's account that arrive in an hour, or a look's more. The journal has a line of each for good, in
# memory, too: of who made forty for each look there were millions in a day.
IN_AN_HOUR = 400


class Exchange:
    """The inbound folder of nbgrader's exchange: each submission is a new folder, and stays as it is."""

    def __init__(
        self, config: Config, course: Course, root: Path, say: Callable[[str], None] = lambda line: None
    ) -> None:
        """`say` gets a line about whoever is in the way of others.

        Errors  CourseError if the exchange is not a folder, or can't be read.
        """
        self._directory, factory = CourseDirectory(config=config), ExchangeFactory(config=config)
        if not issubclass(factory.collect, ExchangeCollect):
            raise errors.CourseError(
                "this course's exchange is not a folder. Set c.Watch.folder to where submissions arrive."
            )
        collect = factory.collect(coursedir=self._directory, authenticator=Authenticator(config=config), config=config)
        self.before_duedate, self._check_owner = collect.before_duedate, collect.check_owner
        self.folder = Path(collect.root) / self._directory.course_id
        self.instructors = exchange_folder.instructors(root, self._directory.groupshared)
        self._course, self._root, self._say, self._still = course, root, say, stillness.Still()
        self._middle = f"+{course.name}+"  # of a submission's name: what follows the student's
        self._accounts = accounts.Accounts(say)
        self._folders, self._many = inbound.Inbound(self._counted, self._order), frozenset()
        self._newest: dict[tuple[str, int], str] = {}  # by student and account: the newest that is yet to arrive
        self._came: dict[int, dict[str, float]] = {}  # by account: its folders that arrived lately, and when
        if not Path(collect.root).is_dir():
            raise errors.CourseError(
                f"nbgrader's exchange {names.path(Path(collect.root))} doesn't exist. In nbgrader_config.py set "
                "c.Exchange.root to your exchange, or c.Watch.folder to the folder where submissions arrive."
            )

    @property
    def _inbound(self) -> Path:
        return self.folder / "inbound"

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """The complete submissions that are not `known` yet; CourseError if the exchange is gone, or another's."""
        self._see_inbound()
        owners = self._read(known)
        self._still.forget_all_but(owners)
        found = sorted(owners, key=self._order)
        wait = self._with_many()
        soon = (name for name in found if owners[name] not in wait and not self._still.is_restless(name))
        self._newest = {self._of(name, owners[name]): name for name in soon}
        looked_into, spent_s = Counter(), Counter()  # folders by their student and owner, and by owner; time by owner
        for name in found:
            owner = owners[name]
            of = self._of(name, owner)
            looked_into[of] += 1
            looked_into[owner] += 1
            # The others when these have arrived: a later one replaces them.
            many = looked_into[of] > MOST_OF_ONE or looked_into[owner] > MOST_OF_OWNER or owner in wait
            if many or spent_s[owner] > LOOK_AT_OWNER_S or not safe_walk.is_folder(self._inbound / name):
                continue
            began, place = time.monotonic(), self._inbound / name
            there = (file for file in STILL_S if safe_walk.is_there(place / file))
            state = self._still.state(
                name, place, min((STILL_S[file] for file in there), default=stillness.OTHERWISE_S)
            )
            spent_s[owner] += time.monotonic() - began
            if state is not None and not (arrival := self._arrival(name)).unknown:
                self._came.setdefault(owner, {}).setdefault(name, time.monotonic())  # again if it couldn't be noted
                yield arrival

    def _with_many(self) -> set[int]:
        """The accounts whose folders wait, because many of theirs have arrived in the last hour.

        None where accounts and students differ, or the account is the grader's own: it may be all students'.
        """
        for came in self._came.values():
            while came and time.monotonic() - came[first := next(iter(came))] > HOUR_S:
                del came[first]
        full = {of for of, came in self._came.items() if len(came) >= IN_AN_HOUR and of != os.geteuid()}
        return full if self._check_owner else set()

    def newer_waits(self, name: str) -> bool:
        """Whether the account that wrote one has written a newer one for the same student that hasn't arrived yet."""
        account = exchange_folder.account(self._inbound / name)
        newest = account is not None and self._newest.get(self._of(name, self._counted(account)))
        is_newer = bool(newest) and self._claim(name) < self._claim(newest)
        return is_newer and safe_walk.is_folder(self._inbound / newest)  # a file or a link never arrives

    def _of(self, name: str, owner: int) -> tuple[str, int]:
        """A student's own folders: in the student's name somebody else may write some, too."""
        return name.rsplit(self._middle, 1)[0], owner

    def _claim(self, name: str) -> str:
        """The time that a folder claims."""
        return name.rsplit(self._middle, 1)[1]

    def _order(self, name: str) -> tuple[bool, str]:
        """By what a folder comes before others: the time that it claims, unless it keeps changing."""
        return self._still.is_restless(name), self._claim(name)

    def _counted(self, account: int) -> int:
        """For whom an account's folders count."""
        return self._accounts.with_others(account) if self._check_owner else account

    def _read(self, known: Container[Key]) -> dict[str, int]:
        """The folders of submissions that are not `known` yet, as far as they were read by now, with their owners.

        Errors  CourseError if the folder around them can't be opened, or is another account's.
        """
        middle = self._middle
        try:
            with exchange_folder.opened_within(self.folder, self._inbound.name, self.instructors) as opened:
                found = self._folders.read(opened, lambda name: middle in name and (name, "") not in known)
        except OSError as error:
            raise stillness.closed(self._inbound, error) from None
        for owner in sorted(self._folders.many.keys() - self._many):
            self._say(refusals.many(self._folders.many[owner], owner, self._inbound))
        self._many = frozenset(self._folders.many)
        return found

    def _see_inbound(self) -> None:
        """Raises CourseError, which says what to do, if nothing can arrive."""
        if self._inbound.is_dir():
            return
        if not self.folder.parent.is_dir():
            exchange = names.whole_path(self.folder.parent)
            raise errors.CourseError(f"nbgrader's exchange {exchange} is gone. Mount it, or put it back.")
        name, exchange = self._course.name, names.whole_path(self.folder)
        raise errors.CourseError(
            f"{name} isn't in the exchange {exchange} yet. Release it: nbgrader release_assignment {name}."
        )

    def again(self, name: str, state: str) -> Arrival | None:
        """A submission that `look` gave before; None if it is gone, CourseError if the exchange is."""
        if safe_walk.is_folder(self._inbound / name):
            return self._arrival(name)
        self._see_inbound()
        return None

    def take(self, arrival: Arrival) -> list[str]:
        """Copies a submission into submitted/, and notes when it was made; OSError while nobody knows whose it is."""
        if arrival.refused:
            raise Refused(arrival.refused)
        if arrival.unknown:
            raise OSError(errno.EAGAIN, arrival.unknown, str(arrival.source))
        place = self._root / "submitted" / arrival.student / self._course.name

        def note() -> None:
            made = times.in_exchange(arrival.source, _claimed(arrival.name, self._course))
            times.note(self._root, arrival.student, made)

        return stillness.taken(self._directory, arrival, place, note)

    def _arrival(self, name: str) -> Arrival:
        student, source = name.rsplit(self._middle, 1)[0], self._inbound / name
        made, refused = None, refusals.of_name(student, self._inbound)
        try:
            made = times.in_exchange(source, _claimed(name, self._course))
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):  # of a time that is none
            refused = refused or messages.NAME_IN_EXCHANGE
        if not self._check_owner:
            return Arrival(name, "", student, source, made, refused)
        account, noticed, unknown = exchange_folder.account(source), "", ""
        owner = self._accounts.name(account)
        if account == os.geteuid():  # on a hub where all are one account
            owner = owner or exchange_folder.NAMELESS
            noticed = refusals.owned_by_grader(owner) if owner != student else ""
        elif owner is None:
            unknown = accounts.unknown(account)
        elif owner != student:
            refused = refused or refusals.owned_by(owner)
        return Arrival(name, "", student, source, made, refused, noticed, unknown)


def _claimed(name: str, course: Course) -> datetime.datetime:
    """The time in the name of a folder in the exchange: STUDENT+ASSIGNMENT+TIME, or with +RANDOM at the end."""
    return parse_utc(name.rsplit(f"+{course.name}+", 1)[1].partition("+")[0])
