"""The criteria of a written answer, read from the end of its model answer."""

import nbformat
import pytest

from attention.course import PARTS
from dev.packages import REPOSITORY
from grading.marking import criteria

WRITTEN = [part for part in PARTS.values() if part.by_hand]


@pytest.mark.parametrize("part", WRITTEN, ids=lambda part: part.stem)
def test_each_written_answer_of_the_course_has_a_criterion_a_point(part):
    notebook = nbformat.read(REPOSITORY / "source" / "attention" / f"{part.stem}.ipynb", as_version=4)
    (source,) = [cell.source for cell in notebook.cells if cell.id == f"{part.stem}-reasoning"]
    found = criteria.read(source)
    assert len(found.items) == part.by_hand
    assert found.answer and "Marking" not in found.answer
    assert all(source.count(item) == 1 for item in found.items)


def test_items_go_on_in_indented_lines_and_what_follows_them_is_a_note():
    found = criteria.read(
        "Because.\n\n**Marking, a point each**\n\n1. First\n   and more.\n2. Second.\n\nOr else.\n\n- this"
    )
    assert found == criteria.Criteria("Because.", ("First and more.", "Second."), "Or else.\n\n- this")


def test_nbgrader_s_markers_around_a_model_answer_are_no_part_of_it():
    found = criteria.read("### BEGIN SOLUTION\nBecause.\n\n**Marking, a point each**\n\n- First.\n### END SOLUTION")
    assert found == criteria.Criteria("Because.", ("First.",))


@pytest.mark.parametrize(
    "source", ["", "Because.", "**Marking, a point each**", "**Marking, a point each**\n\nNo list."]
)
def test_an_answer_without_criteria_has_none(source):
    assert criteria.read(source) is None
