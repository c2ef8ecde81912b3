"""What an instructor should know about a submission, a line each: who, where, what was found and what to do."""

import os
from dataclasses import dataclass
from pathlib import Path

from grading.core import limits, messages, names
from grading.core.course import Course
from grading.submission import extra_files, intake


@dataclass(frozen=True)
class Notice:
    """One line about a submission: the student, the part (a notebook's name), and what was found and what to do."""

    student: str
    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.student}, {self.part}: {self.text}"


def found(student: str, folder: Path, release: Path, course: Course) -> list[Notice]:
    """What an instructor should know before it is graded: damaged, missing and extra files, deleted cells."""
    out, missing = [], []
    parts = sorted(path.name for path in release.glob("*.ipynb") if not course.is_other(path.name))
    present = {entry.name for entry in os.scandir(folder) if not course.is_other(entry.name)}
    for name in parts:
        stem = name.removesuffix(".ipynb")
        if name not in present:
            missing.append(stem)
            continue
        out += [Notice(student, stem, text) for text in intake.taken(folder / name, release / name, course).findings]
    if missing:
        out.append(Notice(student, ", ".join(missing), messages.FILE_MISSING))
    extra = sorted(name for name in present if name.endswith(".ipynb") and name not in parts)
    out += [Notice(student, _shown(name), messages.FILE_EXTRA) for name in extra[: limits.NAMED]]
    if changed := extra_files.changed_module(folder, course):
        out.append(Notice(student, changed, messages.MODULE_CHANGED))
    return out + [
        Notice(student, _shown(name), messages.FILE_LEFT_OUT)
        for name in extra_files.admitted(folder, course)[1][: limits.NAMED]
    ]


def _shown(name: str) -> str:
    """A file's name as it can be printed, in one line."""
    return names.printable(name, names.SHOWN)
