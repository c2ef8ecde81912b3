"""The service: submissions are taken as they arrive, graded by warm workers, and their feedback is shown.

One thread does it all by turns: look, take, send, settle. What it can't do now, because the disk is full or the
gradebook is away, it says and tries again. Nothing is forgotten meanwhile: journal and files are the queue.
"""

import itertools
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from grading.classroom import cluster, crash_notes, merge, worker
from grading.classroom.service import refusals, status
from grading.classroom.service.arrivals import Arrival, Refused, Source, Unsettled
from grading.classroom.service.attempts import Attempts
from grading.classroom.service.current_inputs import CurrentInputs
from grading.classroom.service.deadline import Deadline
from grading.classroom.service.feedback_release import FeedbackRelease
from grading.classroom.service.journal import Entry, Journal, Outcome
from grading.classroom.service.outcomes import Outcomes
from grading.classroom.service.retrying import WAITED_FOR, Retrying
from grading.classroom.service.settings import Watch
from grading.classroom.service.waiting_line import Line
from grading.classroom.task_queue import Graded, TaskQueue
from grading.core import errors, limits, names
from grading.core.course import Course
from grading.gradebook import course_folder, snapshot
from grading.submission import bundle, collected

LOOK_EVERY_S, TICK_S = 0.25, 0.1
LOOK_SHARE = 10  # times as long as a look took, until the next one: looking takes a tenth of a processor at most
RUNS = 4  # that one submission may end: whatever ends the service, it starts again by itself
AT_ONCE = 50  # arrivals between two other turns
WARM = "warm-up"  # a task's name; a student's has none of these signs before it


class OutOfDate(Exception):
    """The service's own code differs from what is now on the disk; one line says so."""


class Service:
    """The service of one course, from its start to its end."""

    def __init__(
        self,
        root: Path,
        course: Course,
        settings: Watch,
        source: Source,
        board: status.Board,
        workers: int,
        say: Callable[[str], None],
        assignment: str = "",
    ) -> None:
        self._root, self._course, self._source, self._workers = root, course, source, workers
        self._board, self._say = board, say
        self._journal = Journal(root)
        if self._journal.moved:
            say(f"the journal was damaged and moved to {names.whole_path(self._journal.moved)}; a new one was started")
        self._line = Line(self._journal, settings.an_hour, workers)
        self._engine: Engine = snapshot.engine(course_folder.database(root))
        self._given = CurrentInputs(root, course, self._engine, assignment, say)
        self._deadline = Deadline(self._given, self._journal, source.before_duedate, settings.quiet_minutes)
        self._feedback = FeedbackRelease(root, course, settings, source, self._journal, self._deadline)
        self._work: dict[str, Entry] = {}  # who is with the workers or set aside, and by what
        self._alone: str | None = None
        self._attempts, self._next_look = Attempts(), float("-inf")
        self._retrying = Retrying(board, root, say)
        self._outcomes = Outcomes(self._journal, board, self._feedback, self._retrying, say)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Serves until `stopping` says so.

        Errors  OutOfDate if only a new start helps.
        """
        try:
            self._first_renewal(stopping)
            with self._retrying.waiting():
                self._restore()
            while not stopping():
                with self._retrying.waiting():
                    self._serve(stopping)
        finally:
            self._engine.dispose()
            self._journal.close()

    def _first_renewal(self, stopping: Callable[[], bool]) -> None:
        """Reads what all are graded with; a gradebook that is away is waited for, and so is a file that is closed.

        Errors  CourseError if the course can't be read.
        """
        while self._given.inputs is None and not stopping():
            try:
                self._given.renew()
            except (OSError, DBAPIError) as error:
                with self._retrying.waiting():
                    raise error

    def _restore(self) -> None:
        """Ends the entries that were waiting when the service stopped, and whose submissions are gone."""
        for entry in self._journal.waiting():
            if self._source.again(entry.name, entry.state) is None:
                self._end(entry, Outcome.GONE)

    def _serve(self, stopping: Callable[[], bool]) -> None:
        """Grades until somebody stops it, or the workers are gone."""
        merge.clean(self._root, self._course.name)
        with crash_notes.Notes(self._root) as notes, cluster.Workers(self._workers, None) as team:
            for entry in self._work.values():
                self._journal.wait_again(entry)
            self._work.clear()
            self._alone, queue = None, self._queue(notes)
            self._warm(team)
            while not stopping():
                self._retrying.begin_turn()
                with self._retrying.waiting():
                    self._look()
                    self._given.check()
                    if any(entry.begun is None for entry in self._journal.waiting()):
                        self._given.renew_in_time()
                    if self._given.changed and not team.busy and not queue.aside:
                        queue = self._queue(notes)
                    self._begin(team, queue)
                    queue.note(team)
                    self._feedback.show_held()
                places = list(self._line.places())
                with self._retrying.waiting():
                    self._feedback.tell_places(places)
                ready = team.next(TICK_S) if team.busy else time.sleep(TICK_S)
                if ready:
                    with self._retrying.waiting():
                        self._settle(team, queue, *ready)
                self._board.show(places, self._work, queue.aside)
                self._retrying.end_turn()

    def _queue(self, notes: crash_notes.Notes) -> TaskQueue:
        given = self._given.taken()
        return TaskQueue(self._root, self._course, self._engine, given, True, False, notes, self._say, runs=RUNS)

    def _warm(self, team: cluster.Workers) -> None:
        """Has each worker grade what was released, so that its sandbox stands and all is imported."""
        stem, self._cold = self._course.stems[0], self._workers  # workers that have graded nothing yet
        content = (self._root / "release" / self._course.name / f"{stem}.ipynb").read_bytes()
        submission = bundle.Submission(WARM, ((f"{stem}.ipynb", content),))
        nobody = {table: {} for table in snapshot.STUDENTS}
        for number in range(self._workers):
            team.submit(f"/{WARM} {number}", worker.grade, self._given.inputs, submission, nobody, True)

    def _look(self) -> None:
        """Notes what has arrived."""
        if time.monotonic() < self._next_look:
            return
        began = time.monotonic()
        found, now = list(itertools.islice(self._source.look(self._journal.entries), AT_ONCE)), time.monotonic()
        for arrival in found:
            self._arrive(arrival)
        self._next_look = now + max(LOOK_EVERY_S, LOOK_SHARE * (now - began))
        self._board.write(looked=now)

    def _arrive(self, arrival: Arrival) -> None:
        """Puts a submission in line, or says why it does not wait there."""
        if arrival.refused:
            self._outcomes.tell(self._journal.arrived(arrival, Outcome.REFUSED)[0])
        elif self._deadline.counts_for_nothing(arrival.student, arrival.made):
            self._outcomes.tell(self._journal.arrived(arrival, Outcome.LATE)[0])
        else:
            entry, replaced = self._journal.arrived(arrival)
            self._outcomes.arrived(entry)
            for each in replaced:
                self._outcomes.tell(self._journal.entries[each.key])
            if arrival.noticed:
                self._say(f"{names.short(entry.student)}: {names.printable(arrival.noticed)}")

    def _begin(self, team: cluster.Workers, queue: TaskQueue) -> None:
        """Sends who is next, as long as there is room; on a full disk smaller ones pass, and OSError if none fits."""
        if self._alone is not None:
            return
        sent, full = False, {}
        for entry in () if self._given.changed else self._line.next_ones():
            if team.room <= 0:
                break
            try:
                free = entry.student not in self._work and queue.may_pass(entry.student)
                free = free and not self._source.newer_waits(entry.name)  # which takes its place
                if free and self._attempts.may_begin(entry.number):
                    self._send(team, queue, entry)
                    sent |= entry.student in self._work
            except OSError as error:
                if error.errno not in errors.FULL:
                    raise
                full[entry.number] = error
        if full and not sent:
            raise next(iter(full.values()))
        for number in full:
            self._attempts.put_off(number)
        if not team.busy and queue.aside:
            self._alone = next(iter(queue.aside))
            if (found := queue.begin_alone(team)) is not None:
                self._finish(self._work[self._alone], found, False)

    def _send(self, team: cluster.Workers, queue: TaskQueue, entry: Entry) -> None:
        """Takes a submission and gives it to the workers."""
        try:
            if not self._take(entry):
                return
        except WAITED_FOR as error:
            self._attempts.kept_from(entry.number, error)
            raise
        except Exception as error:  # noqa: BLE001  (told, and counted: one submission must not end the service)
            if not self._attempts.failed(entry.number, put_off=True):
                self._end(entry, Outcome.FAILED, f"{type(error).__name__}: {error}")
            return
        self._work[entry.student] = entry = self._journal.begun(entry)
        try:
            if (found := queue.begin_or_set_aside(team, entry.student)) is not None:
                self._finish(entry, found, False)
        except Exception:
            self._wait_again(entry)
            raise

    def _take(self, entry: Entry) -> bool:
        """Copies a submission into submitted/; False if that isn't possible now, or never will be."""
        arrival = self._source.again(entry.name, entry.state)
        if arrival is None:
            self._end(entry, Outcome.GONE)
            return False
        if self._deadline.counts_for_nothing(arrival.student, arrival.made, entry.number):  # it was changed since
            self._end(entry, Outcome.LATE)
            return False
        try:
            for kept in self._source.take(arrival):
                self._say(f"{names.short(entry.student)}: {kept}")
        except (Refused, collected.TooLargeError) as error:
            self._end(entry, Outcome.REFUSED, str(error))
            return False
        except (Unsettled, collected.UnreadableError) as error:
            if not self._attempts.failed(entry.number, put_off=True):
                why = error.strerror if isinstance(error, OSError) else "it changed while it was read"
                self._end(entry, Outcome.REFUSED, refusals.unreadable(why))
            return False
        return True

    def _settle(self, team: cluster.Workers, queue: TaskQueue, name: str, found: object) -> None:
        """Puts in place what came back from a worker."""
        if isinstance(found, worker.OtherProgram):
            raise OutOfDate(f"{found} Start the service again.")
        if name not in self._work:  # who warmed up
            said = str(found) if isinstance(found, Exception) else found.error
            if said:
                raise errors.CourseError(f"the workers can't grade: {said}")
            self._cold -= 1
            self._board.write(ready=self._cold <= 0)
            return
        entry = self._work[name]
        try:
            result = queue.settle(team, name, found)
            if result is not None:
                self._finish(entry, result, True)
        except Exception:
            self._wait_again(entry)
            raise

    def _finish(self, entry: Entry, result: Graded, sent: bool) -> None:
        """What became of a submission; where our grader failed, it waits once more."""
        alone, self._alone = entry.student == self._alone, None if entry.student == self._alone else self._alone
        failed = bool(sent and (result.error or result.unmarked))
        if failed and not alone and self._attempts.failed(entry.number):
            self._say(f"{names.short(entry.student)}: {_why(result)} It is graded once more.")
            self._wait_again(entry)
            return
        if failed or result.error:
            outcome = Outcome.ENDED if result.ended else Outcome.FAILED if failed else Outcome.REFUSED
            self._end(entry, outcome, _why(result))
            return
        if not result.kept:
            self._line.took(result.seconds)
        for notice in result.notices[: limits.NAMED]:
            self._say(f"{names.short(entry.student)}: {names.printable(f'{notice.part}: {notice.text}')}")
        self._end(entry, Outcome.KEPT if result.kept else Outcome.GRADED)

    def _end(self, entry: Entry, outcome: Outcome, said: str = "") -> None:
        """Notes the outcome of a submission, and tells it."""
        entry = self._outcomes.note(entry, outcome, said)
        self._attempts.forget(entry.number)
        self._work.pop(entry.student, None)
        self._outcomes.tell(entry)

    def _wait_again(self, entry: Entry) -> None:
        self._journal.wait_again(entry)
        self._work.pop(entry.student, None)
        if self._alone == entry.student:
            self._alone = None


def _why(result: Graded) -> str:
    return result.error or f"{', '.join(result.unmarked)} could not be graded: our grader failed."
