"""How many submissions without marks leave pages in the exchange, by account and by student."""

from grading.classroom.service import notes_left
from grading.classroom.service.notes_left import NotesLeft

GRADER, ADA, EVE = 0, 1, 2


def test_a_students_latest_submissions_keep_their_pages():
    notes = NotesLeft(GRADER)
    secrets = [f"secret {number}" for number in range(notes_left.MOST_OF_STUDENT + 3)]
    assert [notes.add(ADA, "ada", secret) for secret in secrets] == [[]] * notes_left.MOST_OF_STUDENT + [
        ["secret 0"],
        ["secret 1"],
        ["secret 2"],
    ]


def test_what_is_told_again_counts_once_and_as_new():
    notes = NotesLeft(GRADER)
    for number in range(notes_left.MOST_OF_STUDENT):
        notes.add(ADA, "ada", f"secret {number}")
    assert notes.add(ADA, "ada", "secret 0") == []
    assert notes.add(ADA, "ada", "another") == ["secret 1"]


def test_pages_with_marks_make_no_room():
    notes = NotesLeft(GRADER)
    for number in range(notes_left.MOST_OF_STUDENT):
        notes.add(ADA, "ada", f"secret {number}")
    notes.has_marks(ADA, "secret 0")
    assert notes.add(ADA, "ada", "another") == []


def test_who_submits_in_ever_other_names_takes_room_of_nobody_else():
    notes = NotesLeft(GRADER)
    notes.add(ADA, "ada", "ada's")
    gone = [notes.add(EVE, f"name {number}", f"secret {number}") for number in range(notes_left.MOST_OF_OWNER + 2)]
    assert gone[-3:] == [[], ["secret 0"], ["secret 1"]] and not any(gone[:-2])
    assert notes.add(EVE, "ada", "eve's") == ["secret 2"]


def test_where_all_students_have_the_graders_account_each_name_counts_alone():
    notes = NotesLeft(GRADER)
    gone = [notes.add(GRADER, f"name {number}", f"secret {number}") for number in range(notes_left.MOST_OF_OWNER + 2)]
    assert not any(gone)
