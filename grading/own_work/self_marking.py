"""Written answers that their author marks: a Markdown file with the criteria, in which what is met is ticked.

    - [x] G = H, and with it …

A part comes into the file when its answer is written, so that nobody reads what makes an answer right before that.
Nothing in the file is ever changed but by its owner: parts are added at the end.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from grading.core import cells, files, limits, names
from grading.core.course import Course, Part
from grading.core.errors import CourseError
from grading.marking import criteria
from grading.submission import extra_files

FILE = "written-answers.md"
_HEAD = """\
# Your written answers, marked by you

Read your answer once more as a stranger would. Where it meets a criterion, put an x between the brackets: `- [x]`.
Save this file, and your marks count it. `notebooks/` holds a model answer for each part.
"""
_PART = re.compile(r"^## Part (\d{1,4})\b.*$", re.MULTILINE)
_BOX = re.compile(r"^\s*[-*+] ?\[([^\]\n]{0,3})\]", re.MULTILINE)  # whatever stands in it is a tick


def of_course(course: Course, source: Path) -> dict[Part, criteria.Criteria]:
    """The criteria of each part that has one written answer, from the notebooks in `source`, where they name any."""
    found = {}
    for part in course.parts:
        sources = [cells.source_in(source / f"{part.stem}.ipynb", name) for name in part.written]
        if len(sources) == 1 and (read := criteria.read(sources[0])) is not None:
            found[part] = read
    return found


def add(path: Path, part: Part, by: criteria.Criteria) -> bool:
    """Adds a part's criteria at the end of the file, unless they stand there; whether it did.

    Errors  CourseError for a file that is not UTF-8, or no file at all.
    """
    try:
        text = _HEAD if (found := _content(path)) is None else found.decode("utf-8")
    except UnicodeDecodeError:
        raise CourseError(f"{names.path(path)} is not a text in UTF-8. Save it as one, and run this again.") from None
    if part.number in _sections(text):
        return False
    boxes = "\n".join(f"- [ ] {item}" for item in by.items)
    each = f"{part.by_hand / len(by.items):g}"
    note = f"\n{by.note}\n" if by.note else ""
    text = f"{text.rstrip()}\n\n## Part {part.number}: {part.title}\n\nPoints for each: {each}\n\n{boxes}\n{note}"
    files.write_whole(path, text, durable=True)
    return True


def points(path: Path, by: Mapping[Part, criteria.Criteria]) -> dict[Part, float]:
    """What each part in the file earns: the share of its points whose boxes are ticked.

    Errors  CourseError for anything but a file.
    """
    sections = _sections((_content(path) or b"").decode("utf-8", errors="replace"))
    found = {}
    for part, asked in by.items():
        if part.number in sections:
            boxes = _BOX.findall(sections[part.number])[: len(asked.items)]
            found[part] = part.by_hand * sum(bool(box.strip()) for box in boxes) / len(asked.items)
    return found


def _content(path: Path) -> bytes | None:
    """What the file holds; None if there is none. A pipe in its place is not waited for."""
    try:
        with extra_files.opened(path) as file:
            if os.fstat(file.fileno()).st_size <= limits.FILE_BYTES:
                return extra_files.content(file, limits.FILE_BYTES)
    except FileNotFoundError:
        return None
    except extra_files.NoFile:
        pass
    raise CourseError(f"expected a text at {names.path(path)}, got something else. Move it away, and run this again.")


def _sections(text: str) -> dict[int, str]:
    """The text below each part's heading."""
    heads = list(_PART.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    return {int(head[1]): text[head.end() : end] for head, end in zip(heads, ends, strict=False)}
