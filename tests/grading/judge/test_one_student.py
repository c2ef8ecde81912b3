"""What one student's notebooks share is held by the exporter of their run, and by nobody else."""

import gc
from pathlib import Path

import pytest

from grading.judge.one_student import Exporter


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Folders of clean copies: of two students of a course, and of one of them in another course."""
    found = {name: tmp_path / name for name in ("one/autograded/ada/x", "one/autograded/ben/x", "two/autograded/ada/x")}
    for place in found.values():
        place.mkdir(parents=True)
        (place / "data.csv").write_text(str(place))
    return found


def test_the_notebooks_of_one_student_share_a_folder_and_an_allowance(places: dict[str, Path]):
    run, place = Exporter(), places["one/autograded/ada/x"]
    ada = run.student(place)
    ada.allowance.spent_s = 5.0
    assert run.student(place) is ada


def test_the_next_student_of_a_run_shares_nothing_with_the_last_one_whose_copies_are_gone(places: dict[str, Path]):
    run = Exporter()
    ada = run.student(places["one/autograded/ada/x"])
    ada.allowance.spent_s, copies = 5.0, ada.workspace.path
    del ada
    ben = run.student(places["one/autograded/ben/x"])
    assert ben.allowance.spent_s == 0.0 and ben.workspace.path != copies and not copies.exists()


def test_a_run_again_shares_nothing_with_the_first_one(places: dict[str, Path]):
    place = places["one/autograded/ada/x"]
    first, again = Exporter().student(place), Exporter().student(place)
    first.allowance.spent_s = 5.0
    assert again.allowance.spent_s == 0.0 and again.workspace.path != first.workspace.path


def test_two_courses_that_one_process_grades_at_once_share_nothing_though_their_students_have_one_name(
    places: dict[str, Path],
):
    runs, (mine, _, theirs) = (Exporter(), Exporter()), places.values()
    here, there = runs[0].student(mine), runs[1].student(theirs)
    for student in (here, there):
        student.workspace.bring_up_to_date({})
    here.allowance.spent_s = 5.0
    assert there.allowance.spent_s == 0.0
    assert [(s.workspace.path / "data.csv").read_text() for s in (here, there)] == [str(mine), str(theirs)]
    assert runs[0].student(mine) is here and runs[1].student(theirs) is there
    kept, left = here.workspace.path, there.workspace.path
    runs = runs[:1]
    del there, student
    gc.collect()
    assert kept.exists() and not left.exists(), "a run that has ended takes its copies along"
