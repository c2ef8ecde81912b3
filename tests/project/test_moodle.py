"""The expression that the documents give for a ZIP file from Moodle: Moodle's part of a path says whose a file is."""

import ast
import re

import pytest
from documents import DOCS, text

SUBMITTED = "_assignsubmission_file_"
ADA, EVE = f"Ada_11{SUBMITTED}", f"Eve_98{SUBMITTED}"


def expression() -> str:
    """The expression in the document."""
    given = re.search(r"named_regexp = (\(.*?\n    \))", text(DOCS / "submissions.md"), re.DOTALL)[1]
    return ast.literal_eval(given)


@pytest.mark.parametrize(
    ("path", "student", "file"),
    [
        (f"Course-12/{ADA}/part01.ipynb", "Ada_11", "part01.ipynb"),
        (f"Course-12/{ADA}part01.ipynb", "Ada_11", "part01.ipynb"),
        (f"{ADA}/part01.ipynb", "Ada_11", "part01.ipynb"),
        (f"{ADA}part01.ipynb", "Ada_11", "part01.ipynb"),
        (f"Course-12/{ADA}/from home/part01.ipynb", "Ada_11", "from home/part01.ipynb"),
        (f"Course-12/{EVE}/{ADA}part01.ipynb", "Eve_98", f"{ADA}part01.ipynb"),
        (f"Course-12/{EVE}/{ADA}/part01.ipynb", "Eve_98", f"{ADA}/part01.ipynb"),
        (f"Course-12/{EVE}/a/extracted/{ADA}/part01.ipynb", "Eve_98", f"a/extracted/{ADA}/part01.ipynb"),
        (f"Course-12/{EVE}{ADA}part01.ipynb", "Eve_98", f"{ADA}part01.ipynb"),
        (f"{EVE}/{ADA}part01.ipynb", "Eve_98", f"{ADA}part01.ipynb"),
    ],
)
def test_the_name_of_a_file_makes_it_nobody_else_s(path: str, student: str, file: str):
    found = re.match(expression(), f"/home/teacher/attention/downloaded/attention/extracted/{path}")
    assert (found["student_id"], found["file_id"]) == (student, file)
