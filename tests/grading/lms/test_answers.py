"""Answers as plain files, for programs that compare them."""

from pathlib import Path

import pytest

from attention.course import COURSE, PARTS
from dev import course_copy, sample_class
from grading.__main__ import main

ONE, EIGHT = PARTS[1], PARTS[8]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of two parts with two submissions; bob's part 8 is no notebook."""
    course_copy.new(tmp_path, ONE, EIGHT)
    for student in ("ada", "bob"):
        folder = tmp_path / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        for part in (ONE, EIGHT):
            answer = f"mine = '{student}'"
            sample_class.write(folder, part, sample_class.hand_in(part, answer, f"Because, says {student}."))
    (folder / f"{EIGHT.stem}.ipynb").write_text("{", encoding="utf-8")
    return tmp_path


def test_each_part_has_a_folder_a_student_with_what_they_wrote_and_nothing_else(root: Path, capsys):
    to = root / "answers"
    assert main(["export", "answers", "--course", str(root), "--to", str(to)]) == 1
    said = capsys.readouterr().out
    assert "left out   bob, part08:" in said and "written    4 files" in said
    found = {path.relative_to(to).as_posix() for path in to.rglob("*.*") if "released" not in path.parts}
    assert found == {
        "part01/ada/answer.py",
        "part01/bob/answer.py",
        "part08/ada/answer.py",
        "part08/ada/answer.md",
    }
    text = (to / "part01" / "ada" / "answer.py").read_text(encoding="utf-8")
    assert "mine = 'ada'" in text and "check_part01" not in text and "import torch" not in text
    assert (to / "part08" / "ada" / "answer.md").read_text(encoding="utf-8") == "Because, says ada.\n"
    assert "NotImplementedError" in (to / "released" / "part01" / "answer.py").read_text(encoding="utf-8")


def test_an_export_is_made_again_and_another_folder_is_never_emptied(root: Path, capsys):
    to = root / "answers"
    words = ["export", "answers", "--course", str(root), "--to", str(to), "--student", "ada"]
    assert main(words) == 0 and main(words) == 0
    (to / "mine.txt").write_text("keep me")
    assert main(words) == 1
    assert "holds mine.txt, which no export has written" in capsys.readouterr().err
    assert (to / "mine.txt").read_text() == "keep me" and (to / "part01" / "ada" / "answer.py").exists()


def test_a_student_who_submitted_nothing_is_one_line(root: Path, capsys):
    assert main(["export", "answers", "--course", str(root), "--student", "eve"]) == 1
    assert capsys.readouterr().err == "export: there are no submissions of attention by eve.\n"
