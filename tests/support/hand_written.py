"""A notebook written by hand, for tests of what is read from its text; what an answer declares."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grading.rules import static, student_code
from grading.rules.static import Breach

# As in the notebooks of this course.
SETUP = "import torch\nimport torch.nn as nn\nimport numpy as np"
PACKAGES = {"torch": "torch", "numpy": "NumPy"}  # what may be imported
Rule = Callable[[str], Breach | None]


@contextmanager
def notebook(stem: str, *sources: str, locked: str = SETUP) -> Iterator[None]:
    """Has rules read a notebook of a locked cell, the answer, and further cells of the student's."""
    found = [_cell(locked, {"grade_id": f"{stem}-setup", "locked": True, "solution": False, "grade": False})]
    answer = {"grade_id": f"{stem}-answer", "locked": False, "solution": True, "grade": False}
    found += [_cell(source, answer if place == 0 else None) for place, source in enumerate(sources)]
    with student_code.of({"cells": found}):
        yield


def breach(rule: Rule, *sources: str, stem: str = "part05", **more: str) -> str | None:
    """The text of a rule's breach in a notebook of these cells, the answer first."""
    with notebook(stem, *sources, **more):
        found = rule(f"{stem}-answer")
    return found.text if found else None


def import_breach(*sources: str, **more: str) -> str | None:
    """The same of the rule on imports, where these packages may be imported."""
    return breach(lambda answer: static.no_imports(answer, PACKAGES), *sources, **more)


def declared(answer: Path) -> list[str]:
    """The usual mistakes that an answer must be told: its first line may be "# names: one, another"."""
    first = answer.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# names: ").split(", ") if first.startswith("# names: ") else []


def _cell(source: str, role: dict | None) -> dict:
    return {"cell_type": "code", "source": source, "metadata": {"nbgrader": role} if role else {}}
