"""The table of marks on a terminal, where some letters take two columns and some accents none."""

from attention.course import COURSE
from grading.gradebook import marks


def test_marks_stand_under_each_other_whatever_script_a_name_is_in():
    width = {"王小明": 6, "김민준": 6, "Zoe\u0308": 3, "Lovelace, Ada": 13}  # columns of each name
    rows = [marks.Row(name, dict.fromkeys(range(1, 15), 5.0), 0) for name in width]
    head, _, _, *lines = marks.table(rows, COURSE).splitlines()
    found = {name: line.removeprefix(name) for name, line in zip(width, lines, strict=True)}
    assert {width[name] + len(rest) for name, rest in found.items()} == {len(head)}
