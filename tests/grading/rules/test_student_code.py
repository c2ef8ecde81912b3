"""Which cells are the student's, and which are the course's: told by the file, and read once."""

import pytest
from hand_written import PACKAGES, import_breach, notebook

from grading.core import cells
from grading.rules import static, student_code


def test_what_is_given_is_read_from_the_course_s_cell_and_not_from_the_student_s():
    own = {"grade_id": "part05-setup", "locked": False, "solution": True, "grade": False}
    for meta in ({}, {"nbgrader": own}):
        student = {"cell_type": "code", "source": "import math", "metadata": meta, "id": "part05-setup"}
        with student_code.of({"cells": [student]}):
            assert "line 1, `import math`" in static.no_imports("part05-answer", PACKAGES).text


def test_the_course_s_own_cells_are_not_counted():
    assert import_breach("x = 1", locked="import math\nfrom sympy import symbols") is None
    for role in ({"locked": True, "grade": False}, {"locked": False, "grade": True}):
        assert cells.is_ours({"solution": False, **role})
    for role in (
        {},
        {"solution": True, "locked": False, "grade": True},
        {"solution": False, "locked": False, "grade": False},
    ):
        assert not cells.is_ours(role)


def test_text_cells_are_not_counted():
    texts = [{"cell_type": kind, "source": ["import math"], "metadata": {}} for kind in ("markdown", "raw")]
    with student_code.of({"cells": texts}):
        assert static.no_imports("part05-answer", PACKAGES) is None


def test_a_cell_is_read_once_for_all_rules(monkeypatch: pytest.MonkeyPatch):
    read = []
    monkeypatch.setattr(student_code, "parse", lambda source, bare: read.append(source))
    with notebook("part05", "x = 1", "y = 2"):
        for _ in range(3):
            student_code.editable("part05-answer")
    assert sorted(read) == ["x = 1", "y = 2"]


def test_a_line_is_quoted_by_the_number_that_python_gives_it():
    for before in ("# a\u2028b\x0cc", "\x0c", "'one\x85two'", "a = 1\r\n"):
        source = f"{before}\nimport math"
        number = 3 if before.endswith("\r\n") else 2
        assert f"line {number}, `import math`:" in import_breach(source)
