"""What became of each submission, and who learns of it: in the journal, in a line, on the board, and to the student."""

import time
from collections.abc import Callable

from grading.classroom.service import journal, status
from grading.classroom.service.feedback_release import FeedbackRelease
from grading.classroom.service.journal import Entry, Journal, Outcome
from grading.classroom.service.retrying import Retrying
from grading.core import names


class Outcomes:
    """Tells the outcomes of one service's submissions, and how long each took."""

    def __init__(
        self,
        noted: Journal,
        board: status.Board,
        feedback: FeedbackRelease,
        retrying: Retrying,
        say: Callable[[str], None],
    ) -> None:
        self._journal, self._board, self._feedback, self._retrying, self._say = noted, board, feedback, retrying, say
        self._since: dict[int, float] = {}  # when it arrived, by `journal.clock`, by number

    def arrived(self, entry: Entry) -> None:
        """Notes that a submission waits from now on."""
        self._since[entry.number] = journal.clock()

    def note(self, entry: Entry, outcome: Outcome, said: str) -> Entry:
        """Notes the outcome; of a submission from before a restart, only the journal knows when it arrived."""
        since = self._since.get(entry.number)
        took = max(0.0, time.time() - entry.arrived) if since is None else journal.clock() - since
        return self._journal.change(entry, outcome=outcome, said=said, seconds=took)

    def tell(self, entry: Entry) -> None:
        """Says what became of a submission: a line here, on the board, and to the student."""
        self._since.pop(entry.number, None)
        name, said, what = names.short(entry.student), names.printable(entry.said), entry.outcome.value
        after = "" if entry.seconds is None else f", {entry.seconds:.1f} s after it arrived"
        self._say(f"{name}: {what}{after}{': ' + said if said else ''}")
        self._board.add(status.Done(name, entry.arrived, what, said, entry.seconds), entry.outcome.name.lower())
        with self._retrying.waiting():  # what is settled stands; `show_held` tries again
            if entry.outcome in (Outcome.GRADED, Outcome.KEPT):
                self._feedback.show(entry)
            elif entry.outcome in (Outcome.REFUSED, Outcome.REPLACED, Outcome.LATE):
                self._feedback.tell_why_not(entry)
