"""What the due date means to the service: which submission counts for nothing, and when nobody sees marks."""

import datetime
import time

from grading.classroom.service.current_inputs import CurrentInputs
from grading.classroom.service.journal import Journal, Outcome, seconds

NOTHING = (Outcome.REFUSED, Outcome.GONE, Outcome.LATE)


class Deadline:
    """The due date of one course, as the gradebook has it now; there may be none."""

    def __init__(self, given: CurrentInputs, journal: Journal, before_duedate: bool, quiet_minutes: float) -> None:
        """`before_duedate` is nbgrader's setting: a late submission counts for nothing if another was on time."""
        self._given, self._journal = given, journal
        self._before_duedate, self._quiet_s = before_duedate, 60 * quiet_minutes

    def counts_for_nothing(self, student: str, made: datetime.datetime | None, number: int = 0) -> bool:
        """Whether nbgrader's collect would leave out a submission; `number` is its own in the journal."""
        if not self._is_late(seconds(made)):
            return False
        earlier = (
            entry for entry in self._journal.of(student) if entry.number != number and entry.outcome not in NOTHING
        )
        return any(not self._is_late(entry.made) for entry in earlier)

    def quiet_until(self) -> float | None:
        """Until when nobody sees marks, in seconds since 1970; None if everybody may."""
        due = seconds(self._given.due)
        return due if due is not None and due - self._quiet_s <= time.time() < due else None

    def _is_late(self, made: float | None) -> bool:
        due = seconds(self._given.due)
        return self._before_duedate and due is not None and made is not None and made > due
