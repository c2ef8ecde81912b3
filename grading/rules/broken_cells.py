"""Answers that Python refuses to run, such as one with a bracket too few: each item that is lost says so, and where.

What a test finds then, missing names and the errors that follow, says nothing about the cause. The marks stay.
"""

import re
from dataclasses import replace

from grading.core import messages
from grading.core.course import Part
from grading.core.part_report import Report
from grading.rules import parsing, student_code


def explained(report: Report, part: Part) -> Report:
    """The report; where a cell with the answer could not be run, the items that were lost say that it couldn't.

    An item in which a usual mistake was recognised had something to judge, and stays as it is.
    Errors  as `student_code.editable`.
    """
    if report.breach or report.marks >= report.points or not (why := _why(part)):
        return report
    items = (item if item.won >= item.points or item.mistake else replace(item, found=why) for item in report.items)
    return replace(report, items=tuple(items))


def _why(part: Part) -> str:
    """Which cell could not be run, and what Python says of it; empty if what it should define stands elsewhere, too."""
    codes = student_code.editable(f"{part.stem}-answer")
    refused = {place: found for place, code in enumerate(codes) if (found := parsing.refused(code.source))}
    running = student_code.defined([code for place, code in enumerate(codes) if place not in refused])
    if running.keys() & {*part.names}:
        return ""
    for place in sorted(refused, key=lambda place: not codes[place].answer):
        code, (line, words) = codes[place], refused[place]
        if code.answer or any(re.search(rf"\b{re.escape(name)}\b", code.source) for name in part.names):
            return messages.not_run("the answer cell" if code.answer else code.where.lower(), line, words)
    return ""
