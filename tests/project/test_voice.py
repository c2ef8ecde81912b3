"""What students and instructors read is written in the course's voice: no banned turn of phrase in any of it."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from documents import PAGES

from dev import voice
from dev.packages import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "source").glob("*/*.ipynb"))
MODULES = sorted(
    path.relative_to(REPOSITORY)
    for package in ("attention", "dev", "grading")
    for path in (REPOSITORY / package).rglob("*.py")
    if path.name != "voice.py"  # which lists the turns
)
TEMPLATES = sorted((REPOSITORY / "grading" / "pages" / "templates").glob("*.html"))
COURSE_MODULE = sorted(path.relative_to(REPOSITORY) for path in (REPOSITORY / "source").glob("*/attention_course/*.py"))


def cells(path: Path) -> Iterator[tuple[str, str]]:
    """The text cells of a notebook, by their ids."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield cell["id"], "".join(cell["source"])


def strings(path: Path) -> Iterator[str]:
    """The strings in a module, docstrings included and f-strings whole, but for what is no sentence."""
    left_out = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(piece) for piece in node.values}
            yield "".join(piece.value if isinstance(piece, ast.Constant) else "`…`" for piece in node.values)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in left_out
            and " " in node.value
        ):
            yield inspect.cleandoc(node.value)


def shown(template: Path) -> str:
    """The text of a page's template, without what is filled in."""
    text = re.sub(r"(?s)<style.*?</style>|{%.*?%}|{#.*?#}", "", template.read_text(encoding="utf-8"))
    return re.sub(r"(?s){{.*?}}", "¶", re.sub(r"(?m)^ +", "", text))


def places() -> dict[str, list[str]]:
    """Everything that a person reads, by where it is."""
    out = {f"{path.relative_to(REPOSITORY)}": [text for _, text in cells(path)] for path in NOTEBOOKS}
    out |= {f"{path.relative_to(REPOSITORY)}": [path.read_text(encoding="utf-8")] for path in PAGES}
    out |= {f"{path.relative_to(REPOSITORY)}": [shown(path)] for path in TEMPLATES}
    return out | {str(name): list(strings(REPOSITORY / name)) for name in (*MODULES, *COURSE_MODULE)}


PLACES = places()


@pytest.mark.parametrize("place", PLACES)
def test_no_banned_turn_is_in_what_a_person_reads(place: str):
    found = [line for text in PLACES[place] for line in voice.found(text)]
    assert not found, "\n".join([f"{place}, {len(found)} banned turns; dev/voice.py lists them all:", *found])


@pytest.mark.parametrize(
    "text",
    [
        "The shape is to be a pair.",
        "It is computed anew.",
        "Well done!",
        "Just run the cell.",
        "Loops are free in this part.",
        "These are powers of two; the letter is no power.",
        "the shape is (1, 3), asked\nis (3,).",
        "3 numbers a position.",
        "It was handed in late.",
    ],
)
def test_a_banned_turn_is_found(text: str):
    assert voice.found(text)


@pytest.mark.parametrize(
    "text",
    [
        "`is to be`, and $a \\text{ just } b$.",
        "See [the page](hand-in.md) and damaged-hand-in/part01.ipynb.",
        "    obviously code\n",
        "a != b",
        "An adjustment; justified; mendacious.",
        "![A picture](just.png)",
    ],
)
def test_code_links_and_names_are_not_prose(text: str):
    assert voice.found(text) == []


def test_what_replaces_a_turn_is_not_banned_itself():
    quoted = [text for turn in voice.TURNS for text in re.findall(r'"([^"]*)"', turn.instead)]
    assert [text for text in quoted if voice.found(text)] == []
