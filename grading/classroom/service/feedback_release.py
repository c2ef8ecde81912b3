"""When a student sees what: the place in line; feedback at once, after the deadline or at release."""

import time
from collections.abc import Iterable
from pathlib import Path

from grading.classroom.service import status
from grading.classroom.service.arrivals import Source
from grading.classroom.service.deadline import Deadline
from grading.classroom.service.exchange_feedback import ExchangeFeedback
from grading.classroom.service.feedback_folder import FeedbackFolder
from grading.classroom.service.journal import Entry, Journal, Outcome
from grading.classroom.service.settings import Watch
from grading.classroom.service.waiting_line import Place
from grading.core.course import Course

LOOK_EVERY_S = 5.0  # at feedback that is held back
TOLD_AT_ONCE = 5  # students who are told where they stand, between two other turns
TOLD_WAIT_S = 5.0  # the shortest wait that anybody is told of


class FeedbackRelease:
    """The feedback of one course's submissions; none is shown unless the settings say so."""

    def __init__(
        self, root: Path, course: Course, settings: Watch, source: Source, journal: Journal, deadline: Deadline
    ) -> None:
        self._pages, self._course = root / "feedback", course
        self._settings, self._source, self._journal, self._deadline = settings, source, journal, deadline
        shown = settings.release and source.folder is not None
        folder = FeedbackFolder(source.folder, source.instructors) if shown else None
        self._released = ExchangeFeedback(folder, course, settings.parts) if shown else None
        self._told: dict[int, str] = {}  # what a student was told last, by the submission's number
        self._next_look = float("-inf")

    def show(self, entry: Entry) -> None:
        """Shows the feedback of one that is graded, unless it is too early.

        Errors  OSError and sqlite3.Error if it can't be written; `show_held` tries again.
        """
        arrival = self._source.again(entry.name, entry.state)
        if self._released is None or arrival is None:
            return
        if (until := self._deadline.quiet_until()) is not None:
            self._tell(entry, "deadline", until=status.in_utc(until))
            return
        # If a newer one was graded meanwhile, the pages are that one's, and this one's count no more.
        self._released.give(arrival.source, entry.student, self._pages / entry.student / self._course.name)
        self._journal.change(entry, shown=True)
        self._told.pop(entry.number, None)

    def show_held(self) -> None:
        """Shows what was held back until the deadline, or could not be shown before.

        Errors  OSError of the first that can't be shown now, when all others are.
        """
        if self._released is None or time.monotonic() < self._next_look or self._deadline.quiet_until() is not None:
            return
        self._next_look = time.monotonic() + LOOK_EVERY_S
        self._released.prepare()
        graded = (Outcome.GRADED, Outcome.KEPT)
        failed: OSError | None = None
        for entry in [e for e in self._journal.entries.values() if e.outcome in graded and not e.shown]:
            try:
                self.show(entry)
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def tell_places(self, line: Iterable[Place]) -> None:
        """Tells a few of those in line where they stand."""
        told = 0
        for place in line if self._released else ():
            kind = "hour" if place.free_in_s else "line" if place.expected_s >= TOLD_WAIT_S else ""
            if not kind or self._told.get(place.entry.number) == kind:
                continue
            about = {"place": place.number, "seconds": round(place.expected_s), "an_hour": self._settings.an_hour}
            self._tell(place.entry, kind, **about, until=status.in_utc(place.not_before or time.time()))
            told += 1
            if told == TOLD_AT_ONCE:
                return

    def tell_why_not(self, entry: Entry) -> None:
        """Tells a student why a submission is not graded."""
        self._tell(entry, entry.outcome.name.lower(), said=entry.said)

    def _tell(self, entry: Entry, kind: str, **about: object) -> None:
        arrival = self._source.again(entry.name, entry.state)
        if self._released is not None and arrival is not None and self._told.get(entry.number) != kind:
            self._released.tell(arrival.source, entry.student, kind, **about)
            self._told[entry.number] = kind
