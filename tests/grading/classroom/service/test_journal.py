"""The journal of the service: the order of arrival, an hour's submissions, and what a restart finds."""

import sqlite3
import time
from pathlib import Path

import pytest

from grading.classroom.service import journal
from grading.classroom.service.arrivals import Arrival
from grading.classroom.service.journal import Entry, Journal, Outcome
from grading.classroom.service.waiting_line import Line


def arrive(book: Journal, student: str, number: int = 0) -> Entry:
    return book.arrived(Arrival(f"{student} {number}", "", student, Path()))[0]


def grade(book: Journal, entry: Entry) -> None:
    book.change(book.begun(entry), outcome=Outcome.GRADED)


def line(book: Journal, an_hour: int = 0) -> list[str]:
    return [place.entry.student for place in Line(book, an_hour, 1).places()]


def test_who_submits_again_keeps_the_place_and_the_former_one_is_replaced(tmp_path: Path):
    book = Journal(tmp_path)
    first, _ = (arrive(book, name) for name in ("anna", "ben"))
    second, replaced = book.arrived(Arrival("anna 2", "", "anna", Path()))
    assert [entry.number for entry in replaced] == [first.number]
    assert line(book) == ["anna", "ben"]
    assert book.entries[first.key].outcome is Outcome.REPLACED and book.entries[second.key].place == first.place


def test_one_that_is_being_graded_is_not_replaced(tmp_path: Path):
    book = Journal(tmp_path)
    first = book.begun(arrive(book, "anna"))
    assert book.arrived(Arrival("anna 2", "", "anna", Path()))[1] == []
    assert book.entries[first.key].outcome is Outcome.WAITING


class NotLookedThrough(dict):
    """What may be asked for one thing, and not for all."""

    def __iter__(self) -> None:
        pytest.fail("all were looked at")

    keys = values = items = __iter__


def test_however_often_one_student_has_submitted_neither_a_turn_nor_an_arrival_looks_at_all_of_it(tmp_path: Path):
    book = Journal(tmp_path)
    entries = [arrive(book, "mallory", number) for number in range(5)]
    grade(book, entries[-1])
    arrive(book, "anna")
    book.entries, book._of = NotLookedThrough(book.entries), NotLookedThrough(mallory=NotLookedThrough())
    book._of["mallory"].append = lambda _: None
    assert [entry.student for entry in book.waiting()] == ["anna"]
    arrive(book, "mallory", 5)
    assert line(book) == ["anna", "mallory"]
    assert line(book, an_hour=1) == ["anna", "mallory"] and book.free_in_s("mallory", 1) > 0


def test_a_restart_finds_the_line_and_what_was_at_work_waits_again(tmp_path: Path):
    book = Journal(tmp_path)
    for name in ("cleo", "anna", "ben"):
        arrive(book, name)
    book.begun(book.entries["cleo 0", ""])
    grade(book, book.entries["ben 0", ""])
    book.close()
    assert line(Journal(tmp_path)) == ["cleo", "anna"]


@pytest.mark.parametrize("jump_s", [-7 * 86400, 0, 7 * 86400])
def test_an_hour_is_an_hour_wherever_the_clock_jumps(jump_s: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    book = Journal(tmp_path)
    for number in range(2):
        grade(book, arrive(book, "anna", number))
    now = time.time
    monkeypatch.setattr(journal.time, "time", lambda: now() + jump_s)
    assert 3590 < book.free_in_s("anna", 2) <= 3600 and book.free_in_s("anna", 3) == 0
    third, fourth = arrive(book, "anna", 3), arrive(book, "ben")
    assert third.number < fourth.number and line(book) == ["anna", "ben"]
    started = journal.clock()
    monkeypatch.setattr(journal, "clock", lambda: started + 3601)
    assert book.free_in_s("anna", 2) == 0


def test_what_ends_its_worker_counts_as_what_is_graded_does(tmp_path: Path):
    book = Journal(tmp_path)
    book.change(book.begun(arrive(book, "mallory")), outcome=Outcome.ENDED)
    book.close()
    for found in (book, Journal(tmp_path)):
        assert found.free_in_s("mallory", 1) > 3590 and found.free_in_s("mallory", 2) == 0


def test_our_failures_cost_nobody_a_submission_and_keep_nobody_s_workers_busy_without_end(tmp_path: Path):
    book = Journal(tmp_path)
    for number in range(journal.FAILURES + 1):
        assert book.free_in_s("anna", 1) == 0
        book.change(book.begun(arrive(book, "anna", number)), outcome=Outcome.FAILED)
    assert book.free_in_s("anna", 1) > 3590 and book.free_in_s("anna", 2) == 0
    book.close()
    assert Journal(tmp_path).free_in_s("anna", 1) > 3590


@pytest.mark.parametrize("then", [Outcome.REPLACED, Outcome.GONE])
def test_a_submission_that_failed_is_not_forgotten_because_it_makes_room_for_a_newer_one_or_is_taken_away(
    then: Outcome, tmp_path: Path
):
    book = Journal(tmp_path)
    for number in range(journal.FAILURES + 1):
        book.wait_again(book.begun(entry := arrive(book, "mallory", number)))
        if then is Outcome.GONE:
            book.change(book.entries[entry.key], outcome=then)
    arrive(book, "mallory", 99)
    assert book.entries[entry.key].outcome is then
    assert book.free_in_s("mallory", 1) > 3590
    book.close()
    assert Journal(tmp_path).free_in_s("mallory", 1) > 3590


def test_what_no_worker_was_at_counts_for_nothing(tmp_path: Path):
    book = Journal(tmp_path)
    for number in range(2 * journal.FAILURES):
        outcome = (Outcome.KEPT, Outcome.REFUSED)[number % 2]
        book.change(book.begun(arrive(book, "anna", number)), outcome=outcome)
        book.change(arrive(book, "anna", -1 - number), outcome=Outcome.FAILED)  # it could not be taken
    book.close()
    for found in (book, Journal(tmp_path)):
        assert found.free_in_s("anna", 1) == 0


def test_after_the_machine_was_started_again_the_other_clock_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    book = Journal(tmp_path)
    grade(book, arrive(book, "anna"))
    now = time.time
    monkeypatch.setattr(journal, "boot", lambda: "another start")
    monkeypatch.setattr(journal, "clock", lambda: 5.0)
    monkeypatch.setattr(journal.time, "time", lambda: now() + 600)
    assert 2990 < book.free_in_s("anna", 1) <= 3000
    monkeypatch.setattr(journal.time, "time", lambda: now() + 3601)
    assert book.free_in_s("anna", 1) == 0


def test_what_cannot_be_written_has_not_arrived(tmp_path: Path):
    book = Journal(tmp_path)
    arrive(book, "anna")
    book.close()
    with pytest.raises(sqlite3.Error):
        arrive(book, "ben")
    assert line(book) == ["anna"]
