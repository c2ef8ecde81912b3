"""Answers as plain files, for programs that compare them."""

import errno
from pathlib import Path

import closed_files
import pytest

from attention.course import COURSE, PARTS
from dev import course_copy, handed_in
from grading.__main__ import main
from grading.core.files import new_name, write_whole
from grading.lms import answers

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
            handed_in.write(folder, part, handed_in.submission(part, answer, f"Because, says {student}."))
    (folder / f"{EIGHT.stem}.ipynb").write_text("{", encoding="utf-8")
    return tmp_path


def test_each_part_has_a_folder_a_student_with_what_they_wrote_and_nothing_else(root: Path, capsys):
    to = root / "answers"
    assert main(["export", "answers", "--course", str(root), "--to", str(to)]) == 1
    said = capsys.readouterr().out
    assert "left out   bob, part08:" in said and "written    4 files" in said
    found = {path.relative_to(to).as_posix() for path in to.rglob("answer.*") if "released" not in path.parts}
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


def test_nobody_s_answers_are_exported_as_those_of_somebody_whose_folder_is_a_link_to_them(root: Path, capsys):
    (root / "submitted" / "mallory").mkdir()
    (root / "submitted" / "mallory" / COURSE.name).symlink_to(f"../ada/{COURSE.name}")
    assert main(["export", "answers", "--course", str(root), "--to", str(root / "answers")]) == 1
    assert "left out   mallory:" in capsys.readouterr().out
    assert not list((root / "answers").glob("*/mallory")) and list((root / "answers").glob("*/ada"))


def test_an_export_that_was_killed_at_its_first_file_is_made_by_the_next(root: Path):
    to = root / "answers"
    to.mkdir()
    left = new_name(to / answers.LIST)
    left.write_text("part01/ada/ans")
    assert main(["export", "answers", "--course", str(root), "--to", str(to), "--student", "ada"]) == 0
    assert (to / "part01" / "ada" / "answer.py").exists() and not left.exists()


def test_an_export_is_made_again_and_another_folder_is_never_emptied(root: Path, capsys):
    to = root / "answers"
    words = ["export", "answers", "--course", str(root), "--to", str(to), "--student", "ada"]
    assert main(words) == 0
    (to / "part01" / "ada" / "remarks.txt").write_text("keep me")
    (root / "submitted" / "ada" / COURSE.name / f"{EIGHT.stem}.ipynb").unlink()
    assert main(words) == 0
    assert (to / "part01" / "ada" / "remarks.txt").read_text() == "keep me"
    assert (to / "part01" / "ada" / "answer.py").exists() and not (to / "part08" / "ada").exists()
    source = sorted((root / "source").rglob("*"))
    assert main(["export", "answers", "--course", str(root), "--to", str(root / "source")]) == 1
    assert "holds attention, which no export wrote" in capsys.readouterr().err
    assert sorted((root / "source").rglob("*")) == source


def test_one_student_s_export_leaves_those_of_others(root: Path):
    words = ["export", "answers", "--course", str(root), "--to", str(root / "answers")]
    assert main(words) == 1 and main([*words, "--student", "ada"]) == 0
    assert (root / "answers" / "part01" / "bob" / "answer.py").exists()


@pytest.mark.parametrize("room", range(6))
def test_an_export_that_a_full_disk_ended_can_be_made_again(room: int, root: Path, capsys, monkeypatch):
    words = ["export", "answers", "--course", str(root), "--to", str(root / "answers"), "--student", "ada"]
    left = iter(range(room))

    def write(path: Path, text: str) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_whole(path, text)

    with monkeypatch.context() as full:
        full.setattr(answers, "write_whole", write)
        assert main(words) == 1
    assert "No space left on device. Nothing is lost: fix that, and run this again." in capsys.readouterr().err
    assert main(words) == 0


def test_a_file_in_the_place_of_a_folder_and_one_that_cannot_be_read_are_a_line_each(root: Path, capsys, monkeypatch):
    (root / "taken").write_text("x")
    assert main(["export", "answers", "--course", str(root), "--to", str(root / "taken")]) == 1
    assert "is not a folder" in capsys.readouterr().err

    def closed(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(answers.intake, "taken", closed)
    assert main(["export", "answers", "--course", str(root), "--to", str(root / "answers")]) == 1
    assert "ada, part01: it can't be read: Permission denied." in capsys.readouterr().out


def test_who_is_left_out_because_their_folder_or_all_are_closed_is_told(root: Path, capsys):
    words = ["export", "answers", "--course", str(root), "--to", str(root / "answers")]
    for place, said in (
        (root / "submitted" / "ada", "ada, part01: it can't be read: Permission denied."),
        (root / "submitted", "submitted can't be read or written: Permission denied."),
    ):
        place.chmod(0)
        try:
            with closed_files.obeyed():
                assert main(words) == 1
        finally:
            place.chmod(0o755)
        told = capsys.readouterr()
        assert said in told.out + told.err


def test_a_student_who_submitted_nothing_is_one_line(root: Path, capsys):
    assert main(["export", "answers", "--course", str(root), "--student", "eve"]) == 1
    assert capsys.readouterr().err == "export: there are no submissions of attention by eve.\n"


@pytest.mark.parametrize(
    ("words", "of"),
    [("answers --dry-run", "canvas and moodle"), ("gradescope --so-far", "canvas and moodle"),
     ("canvas --student ada", "gradescope and answers")],
)  # fmt: skip
def test_an_option_that_an_export_has_not_is_refused_before_anything_is_written(
    words: str, of: str, root: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    before = sorted(root.rglob("*"))
    assert main(["export", *words.split(), "--course", str(root)]) == 1
    assert capsys.readouterr().err.endswith(f"is an option of {of}, not of {words.split()[0]}. Nothing is written.\n")
    assert sorted(root.rglob("*")) == before
