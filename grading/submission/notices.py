"""What an instructor should know about a submission, a line each: who, where, what was found and what to do."""

import os
from dataclasses import dataclass
from pathlib import Path

from grading.core import limits, messages, names
from grading.core.course import Course
from grading.submission import extra_files, intake, misplaced


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
    out, missing, present = [], [], _listed(folder, course)
    parts = sorted(path.name for path in release.glob("*.ipynb") if path.stem in course.stems)
    for name in parts:
        stem = name.removesuffix(".ipynb")
        if name not in present:
            missing.append(stem)
            continue
        out += [Notice(student, stem, text) for text in intake.taken(folder / name, release / name, course).findings]
    if missing:
        out.append(Notice(student, ", ".join(missing), messages.FILE_MISSING))
    return out + _of_files(student, folder, course, present - {*parts})


def of_files(student: str, folder: Path, course: Course) -> list[Notice]:
    """What an instructor should know of a folder in which no notebook of the course is."""
    return _of_files(student, folder, course, _listed(folder, course))


def _listed(folder: Path, course: Course) -> set[str]:
    """The names in a submission's folder, without the course's other notebooks."""
    return {entry.name for entry in os.scandir(folder) if not course.is_other(entry.name)}


def _of_files(student: str, folder: Path, course: Course, beside: set[str]) -> list[Notice]:
    """Notices about what is `beside` the parts' notebooks: other notebooks, a changed module, what is left out."""
    changed = extra_files.changed_module(folder, course)
    extra = sorted(filter(misplaced.is_called_a_notebook, beside))
    left_out = [name for name in extra_files.admitted(folder, course)[1] if name not in extra]
    lines = [(name, messages.FILE_EXTRA) for name in extra[: limits.NAMED]]
    lines += [(changed, messages.MODULE_CHANGED)] if changed else []
    lines += [(name, _left_out(name)) for name in left_out[: limits.NAMED]]
    return [Notice(student, names.short(name), text) for name, text in lines]


def _left_out(name: str) -> str:
    return messages.FILE_ARCHIVE if misplaced.is_archive(name) else messages.FILE_LEFT_OUT


def joined(found: list[Notice], stems: tuple[str, ...]) -> list[Notice]:
    """The same with one line where a student's parts, by the stems of their notebooks, have the same one."""
    parts: dict[tuple[str, str, str], list[str]] = {}
    for notice in found:
        apart = "" if notice.part in stems else notice.part
        parts.setdefault((notice.student, notice.text, apart), []).append(notice.part)
    return [Notice(student, ", ".join(of), text) for (student, text, _), of in parts.items()]
