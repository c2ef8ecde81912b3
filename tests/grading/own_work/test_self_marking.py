"""What somebody ticks for their own written answers, in a file that is theirs."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from attention.course import COURSE, PARTS
from dev.packages import REPOSITORY
from grading.core import limits
from grading.core.errors import CourseError
from grading.own_work import self_marking

BY = self_marking.of_course(COURSE, REPOSITORY / "source" / COURSE.name)
NINE, FOURTEEN = PARTS[9], PARTS[14]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file, with two parts in it."""
    path = tmp_path / self_marking.FILE
    assert self_marking.add(path, FOURTEEN, BY[FOURTEEN]) and self_marking.add(path, NINE, BY[NINE])
    return path


def tick(path: Path, *wanted: int) -> None:
    """Ticks boxes by their number in the file, from 0, as somebody in an editor would."""
    pieces = path.read_text(encoding="utf-8").split("- [ ]")
    marks = [f"- [{'x' if n in wanted else ' '}]" for n in range(len(pieces) - 1)]
    path.write_text("".join(f"{a}{b}" for a, b in zip(pieces, [*marks, ""], strict=True)), encoding="utf-8")


def test_all_written_parts_have_criteria_to_tick():
    assert {part for part in COURSE.parts if part.by_hand} == set(BY)


def test_a_tick_is_worth_its_share_and_counts_for_its_own_part(path: Path):
    assert self_marking.points(path, BY) == {NINE: 0, FOURTEEN: 0}
    tick(path, 0, 2, 3, 6)
    assert self_marking.points(path, BY) == {FOURTEEN: 1, NINE: 3}


def test_a_part_comes_into_the_file_once_and_ticks_and_notes_stay(path: Path):
    tick(path, 0)
    path.write_text(path.read_text(encoding="utf-8") + "\nMy own note.\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    assert not self_marking.add(path, NINE, BY[NINE])
    assert path.read_text(encoding="utf-8") == before
    assert self_marking.add(path, PARTS[6], BY[PARTS[6]])
    assert path.read_text(encoding="utf-8").startswith(before.rstrip())


def test_boxes_beyond_the_criteria_earn_nothing(path: Path):
    path.write_text(path.read_text(encoding="utf-8").replace("[ ]", "[X]") + "- [x] for trying\n" * 9, encoding="utf-8")
    assert self_marking.points(path, BY) == {NINE: NINE.by_hand, FOURTEEN: FOURTEEN.by_hand}


def test_a_file_that_is_not_utf_8_is_never_written_over(path: Path):
    path.write_bytes("größer".encode("latin-1"))
    with pytest.raises(CourseError, match="is not a text in UTF-8"):
        self_marking.add(path, NINE, BY[NINE])
    assert path.read_bytes() == "größer".encode("latin-1")
    path.write_text("## Part " + 5000 * "9")
    assert self_marking.points(path, BY) == {}


def test_a_file_of_any_bytes_is_read(path: Path):
    path.write_bytes(b"\xff\x00\n## Part 9: \xfe\n- [x] one\n")
    assert self_marking.points(path, BY) == {NINE: 1}


@pytest.mark.parametrize("box", ["- [x ]", "- [ x ]", "-[x]", "- [✓]", "+ [v]"])
def test_whatever_somebody_puts_between_the_brackets_is_a_tick(box: str, path: Path):
    path.write_text(path.read_text(encoding="utf-8").replace("- [ ]", box, 1), encoding="utf-8")
    assert self_marking.points(path, BY) == {FOURTEEN: 1, NINE: 0}


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_anything_but_a_file_is_told_and_not_waited_for(make: Callable[[Path], object], tmp_path: Path):
    path, said = tmp_path / self_marking.FILE, []
    make(path)

    def read() -> None:
        for call in (lambda: self_marking.points(path, BY), lambda: self_marking.add(path, NINE, BY[NINE])):
            with pytest.raises(CourseError) as error:
                call()
            said.append(str(error.value))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(120)
    assert said == [f"expected a text at {path}, got something else. Move it away, and run this again."] * 2


def test_a_file_that_nobody_has_written_is_not_read(path: Path):
    os.truncate(path, limits.FILE_BYTES + 1)
    with pytest.raises(CourseError, match="expected a text"):
        self_marking.points(path, BY)
