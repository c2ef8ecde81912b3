"""A report is the same as text, as a table and as data, and no text in it becomes HTML."""

import json

import html5lib
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attention import rules
from grading.core import part_report
from grading.core.part_report import Line, Report
from grading.marking import rubric


def made(*verdicts: rubric.Verdict) -> Report:
    """The report of a sheet with these verdicts, of 2 points each."""
    sheet = rubric.Sheet(part=3, points=2 * len(verdicts))
    for n, verdict in enumerate(verdicts):
        sheet.item(2, f"item {n}", verdict)
    with rubric.collected() as reports:
        sheet.total()
    return reports[0]


REPORTS = [
    made(rubric.Verdict(True), rubric.Verdict(False, "it is <b>off</b> & more.", mistake="no-root")),
    Report(3, 10.0, 0.0, (Line(10, 0, "exact"),), breach="Answer, line 2, `import <math>`: no."),
    Report(3, 10.0, 0.0, fault="the kernel ended."),
]


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_read_back_from_the_notebook_unchanged(report: Report):
    cell = new_code_cell(outputs=[report.output(), new_output("execute_result", data={"text/plain": "2.0"})])
    written = nbformat.writes(new_notebook(cells=[cell]))
    assert part_report.read(nbformat.reads(written, as_version=4).cells[0]) == report


@pytest.mark.parametrize("report", REPORTS)
def test_the_table_is_strict_html_and_says_what_the_text_says(report: Report):
    tree = html5lib.HTMLParser(strict=True).parseFragment(report.table())
    shown = " ".join("".join(tree.itertext()).split())
    assert " ".join(report.text().splitlines()[0].split()) in shown
    for item in () if report.breach else report.items:
        assert item.what in shown and " ".join(item.found.split()) in shown
    assert {element.tag.rpartition("}")[2] for element in tree.iter() if isinstance(element.tag, str)} <= {
        *("DOCUMENT_FRAGMENT", "p", "strong", "table", "thead", "tbody", "tr", "th", "td")
    }


def test_a_mistake_is_kept_with_its_item_and_takes_the_place_of_the_hint():
    lost = REPORTS[0].items[1]
    assert (lost.points, lost.won, lost.mistake) == (2, 0, "no-root")
    assert lost.found == "it is <b>off</b> & more."


def test_a_broken_rule_leaves_the_items_without_what_was_found():
    sheet = rubric.Sheet(part=3, points=2)
    sheet.item(2, "exact", rubric.Verdict(False, "off by 3."))
    sheet.require(rules.Breach("Answer, line 1, `import os`: no."))
    with rubric.collected() as reports:
        assert sheet.total() == 0.0
    (left,) = reports
    assert left.items == (Line(2, 0, "exact"),) and "off by 3" not in json.dumps(left.output())


def test_a_cell_without_a_report_has_none_and_one_of_another_version_says_so():
    assert part_report.read(new_code_cell(outputs=[new_output("stream", text="10.0")])) is None
    odd = new_output("display_data", data={part_report.MIME: {"part": 3}})
    with pytest.raises(ValueError, match="another version"):
        part_report.read(new_code_cell(outputs=[odd]))
