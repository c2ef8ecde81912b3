"""The engine holds for any course: no word of this one, nor of the example, stands in its code, comments and pages."""

import re
import runpy
from pathlib import Path

import pytest

from attention.course import COURSE
from dev.packages import REPOSITORY

ENGINE = REPOSITORY / "grading"
# What this course is about, and its parts by their numbers: "part 13", and not the "part 05" of a column's name.
SUBJECT = (
    r"attention|\b[A-Z]?[a-z]*_?(MHA|GQA|MLA)\w*|soft-?max|\bkv[ _-]?cache|\b(query|key/value) head|\battn|\bpart [1-9]"
)
SUFFIXES = {".py", ".html", ".j2", ".css", ".js"}


def names_of_the_courses() -> set[str]:
    """What answers must define, and what the courses and their folders, modules and secrets are called."""
    example = runpy.run_path(str(REPOSITORY / "examples" / "optimisers" / "optimisers" / "course.py"))
    found = set()
    for course in (COURSE, example["COURSE"]):
        asked = {name for part in course.parts for name in part.names}
        found |= {name for name in asked if not name.islower() or "_" in name}  # `product` is anybody's word
        found |= {course.name, course.title, course.label, course.secret, course.module} - {"", None}
    return found


NAMES = names_of_the_courses()
OF_A_COURSE = re.compile("|".join([SUBJECT, *(r"\b" + re.escape(name) + r"\b" for name in sorted(NAMES))]), re.I)


def told(text: str) -> list[str]:
    """The lines with a word of a course."""
    return [line.strip() for line in text.splitlines() if OF_A_COURSE.search(line)]


@pytest.mark.parametrize(
    "path",
    sorted(path for path in ENGINE.rglob("*") if path.suffix in SUFFIXES and "__pycache__" not in path.parts),
    ids=lambda path: path.relative_to(ENGINE).as_posix(),
)
def test_the_engine_says_nothing_of_a_course(path: Path):
    assert told(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "# as the answer of part 13 does",
        "from attention import course",
        "`MyMHA.forward = forward` changes MyMHA",
        'MAGIC = b"attn1"',
        "import attention_course",
        "def f(W_DKV_MLA): ...",
        "# two query heads",
        "optimisers",
    ],
)
def test_a_word_of_a_course_is_found(line: str):
    assert told(line) == [line]


@pytest.mark.parametrize("line", ['"LABEL part 05"', "part01-answer", "each key of the mapping", "the product of both"])
def test_a_word_of_any_course_is_none(line: str):
    assert told(line) == []


def test_the_names_are_those_of_both_courses():
    assert {"attention_logits", "MyMHA", "attention_course", COURSE.secret, "optimisers"} <= NAMES
    assert "product" not in NAMES
