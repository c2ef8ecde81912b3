"""One right and one wrong answer through nbgrader, the judge and the walls: the slow test of `make quick`."""

from pathlib import Path

import graded_answers

from grading import sample_class

PART = sample_class.ANSWERS / "part03"
RIGHT, WRONG = PART / "10-einsum.py", PART / "06-forgot-the-root.py"


def test_a_right_and_a_wrong_answer_earn_their_marks(tmp_path: Path):
    found = graded_answers.grade({3: [RIGHT, WRONG]}, tmp_path, lean=True)
    assert {path.stem: result.marks for path, result in found.items()} == {RIGHT.stem: 10.0, WRONG.stem: 6.0}
