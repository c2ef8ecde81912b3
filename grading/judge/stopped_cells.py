"""Names that are not there because the cell that defines them stopped at an error before: the report says at which.

The error and its line are read off the cell's output, which is the kernel's word: so an error has one of Python's own
names in the report, and a line stands before the definition. The marks stay.
"""

import ast
import re
from dataclasses import replace

from nbformat import NotebookNode

from grading.bridge.reasons import ERRORS
from grading.core import messages
from grading.core.course import Part
from grading.core.part_report import Report
from grading.rules import own_names, student_code

MISSING = re.compile(re.escape(messages.missing("x")).replace("x", r"(\w+)", 1))
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_HEAD = "Traceback (most recent call last)"  # above the frames of each error, of which the last stopped the cell
_LINE = re.compile(r"Cell In\[\d+\], line (\d{1,6})\b")  # of the cell itself, before those that it called


def explained(report: Report, part: Part, notebook: NotebookNode) -> Report:
    """The report; where an item lacks a name, with the error that stopped the cell of the notebook, which has been run,
    before it came to define that.

    Errors  as `student_code.editable`.
    """
    if not any(MISSING.search(item.found) for item in report.items):
        return report
    codes = [code for code in student_code.editable(f"{part.stem}-answer") if code.tree]
    stopped = {code.where: found for code in codes if (found := _stopped(notebook, code))}
    table = student_code.defined(codes) if stopped else {}

    def told(missing: re.Match[str]) -> str:
        for code, node in table.get(missing[1], ()):
            error, line = stopped.get(code.where, ("", 0))
            if 0 < line <= _end(node) and missing[1] in own_names.set_anywhere([code.tree]):  # not only changed there
                cell = "the answer cell" if code.answer else code.where.lower()
                return messages.never_defined(missing[1], cell, error, line)
        return missing[0]

    items = (replace(item, found=messages.short(MISSING.sub(told, item.found))) for item in report.items)
    return replace(report, items=tuple(items))


def _stopped(notebook: NotebookNode, code: student_code.Code) -> tuple[str, int] | None:
    """The error that stopped a cell, by a name of Python's, and its line, as the notebook counts them; None of none."""
    text = code.source.lstrip()
    if text.startswith("%%"):  # of what such a magic runs, IPython doesn't count the lines in the cell
        return None
    skipped = code.source[: len(code.source) - len(text)].count("\n")  # as IPython does
    cell = next(cell for cell in notebook.cells if cell.source == code.source)
    for output in cell.get("outputs", ()):
        if output.output_type != "error":
            continue
        frames = _COLOUR.sub("", "\n".join(output.traceback)).rpartition(_HEAD)[2]
        if line := _LINE.search(frames):
            return output.ename if output.ename in ERRORS else "Exception", int(line[1]) + skipped
    return None


def _end(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or 0
