"""A NameError in an answer: the report says which name no cell defines, or only one that may have failed.

It is looked for in the student's text, at the line that the report names anyway: a kernel's reply tells nothing more.
"""

import ast
import builtins
import re
from collections.abc import Collection
from dataclasses import replace

from grading.core import messages
from grading.core.course import Part
from grading.core.part_report import Report
from grading.rules import closure, own_calls, student_code
from grading.rules.nodes import walk

STOPPED = re.compile(re.escape(messages.raised("NameError", 7)).replace("7", r"(\d+)"))
OF_THE_KERNEL = frozenset({"display", "get_ipython", "In", "Out", "exit", "quit"})


def explained(report: Report, part: Part) -> Report:
    """The report; where an item was lost to a NameError, with the names in that line that it can be about.

    Errors  as `student_code.editable`.
    """
    if not any(STOPPED.search(item.found) for item in report.items):
        return report
    answer = f"{part.stem}-answer"
    codes, setup = student_code.editable(answer), student_code.setup(answer)
    trees = [setup, *(code.tree for code in codes if code.tree)]
    there = {*own_calls.imported(node for tree in trees for node in walk(tree))}
    if "*" in there:
        return report
    there |= {*dir(builtins), *OF_THE_KERNEL, *(node.id for node in walk(setup) if isinstance(node, ast.Name))}
    read = _read(answer, part.names, there)
    own = student_code.defined(codes).keys()

    def told(stopped: re.Match[str]) -> str:
        names = read.get(int(stopped[1]), [])
        lacking = [name for name in names if name not in own]
        if not names:
            return stopped[0]
        return messages.undefined(stopped[0], lacking) if lacking else messages.not_defined_yet(stopped[0], names)

    items = (replace(item, found=messages.short(STOPPED.sub(told, item.found))) for item in report.items)
    return replace(report, items=tuple(items))


def _read(answer: str, asked: Collection[str], there: Collection[str]) -> dict[int, list[str]]:
    """By line, the names that the answer's functions read of the notebook and that aren't there anyway, in order."""
    found: dict[int, dict[str, None]] = {}
    for _, node in closure.answer(answer, asked):
        free = closure.free_names(node).difference(there)
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner.id in free]
        for name in sorted(names, key=lambda name: name.col_offset):
            found.setdefault(name.lineno, {})[name.id] = None
    return {line: [*names] for line, names in found.items()}
