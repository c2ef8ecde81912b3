"""The line of those that wait: who is next, in which place, and how long it takes."""

import time
from pathlib import Path

from grading.classroom.service.arrivals import Arrival
from grading.classroom.service.journal import Entry, Journal, Outcome
from grading.classroom.service.waiting_line import Line


def arrive(book: Journal, student: str, number: int = 0) -> Entry:
    return book.arrived(Arrival(f"{student} {number}", "", student, Path()))[0]


def grade(book: Journal, entry: Entry) -> None:
    book.change(book.begun(entry), outcome=Outcome.GRADED)


def test_who_is_next_is_looked_up_one_by_one_as_the_line_moves(tmp_path: Path):
    book = Journal(tmp_path)
    for name in ("anna", "ben", "cleo"):
        arrive(book, name)
    begun = [book.begun(entry).student for entry, _ in zip(Line(book, 0, 1).next_ones(), range(2), strict=False)]
    assert begun == ["anna", "ben"] and [place.entry.student for place in Line(book, 0, 1).places()] == ["cleo"]
    assert [entry.student for entry in Line(book, 0, 1).next_ones()] == ["cleo"]


def test_who_has_used_up_the_hour_keeps_the_place_and_others_pass(tmp_path: Path):
    book = Journal(tmp_path)
    grade(book, arrive(book, "anna"))
    arrive(book, "anna", 1), arrive(book, "ben"), arrive(book, "cleo")
    places = list(Line(book, 1, 1).places())
    assert [(place.entry.student, place.number, place.free_in_s > 0) for place in places] == [
        ("anna", 1, True),
        ("ben", 2, False),
        ("cleo", 3, False),
    ]
    assert [entry.student for entry in Line(book, 1, 1).next_ones()] == ["ben", "cleo"]
    assert places[0].expected_s > 3500 and places[1].expected_s < places[2].expected_s
    assert 3500 < places[0].not_before - time.time() <= 3600 and places[1].not_before is None


def test_who_waits_longer_has_a_later_time(tmp_path: Path):
    book = Journal(tmp_path)
    for name in ("anna", "ben", "cleo"):
        arrive(book, name)
    line = Line(book, 0, 2)
    line.took(3.0), line.took(3.0), line.took(3.0)
    assert [place.expected_s for place in line.places()] == [3.0, 3.0, 6.0]  # two at once
    book.begun(book.entries["anna 0", ""])
    assert [(p.entry.student, p.number, p.expected_s) for p in line.places()] == [("ben", 1, 6.0), ("cleo", 2, 6.0)]
