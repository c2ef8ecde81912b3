"""What a class earned in one run, as data, and where runs differ: by student, part and item."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import ways  # noqa: F401  (lets Python find the package `grading`)
from nbgrader.api import Gradebook

from attention import course
from attention.course import COURSE
from dev import sample_class
from grading.gradebook import results

EXPECTED = "as named"  # what the names of the answers say
SHOWN_RUNS = 3  # runs that a difference names
MARKS = "marks"


@dataclass(frozen=True)
class Part:
    """One part of one student: marks, None where it isn't marked; what each item won; what was reported, by item."""

    marks: float | None
    items: dict[str, float] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)


Earned = dict[str, dict[str, Part]]  # by student, by part: "part01" …


@dataclass(frozen=True)
class Difference:
    """An item, or the marks of a part, that isn't the same in all runs: which runs gave which value, and why."""

    student: str
    part: str
    item: str
    runs: dict[float | None, list[str]]
    found: dict[float | None, str]

    def text(self) -> str:
        """A heading, and a line per value with the runs that gave it."""
        lines = [f"{self.student}, {self.part}, {self.item}"]
        for value, names in sorted(self.runs.items(), key=lambda pair: -len(pair[1])):
            named = ", ".join(names[:SHOWN_RUNS]) + (f" and {len(names) - SHOWN_RUNS} more" * (len(names) > SHOWN_RUNS))
            said = f": {self.found[value]}" if self.found[value] else ""
            lines.append(f"    {'not marked' if value is None else f'{value:g}'} in {named}{said}")
        return "\n".join(lines)


def read(book: Gradebook, root: Path, student: str, error: str = "") -> dict[str, Part]:
    """What a student earned in each part submitted; `error` is why nothing of it was marked, if so."""
    submitted = {path.stem for path in (root / "submitted" / student / COURSE.name).glob("*.ipynb")}
    found = {}
    for result in results.read(book, COURSE, student, root / "autograded" / student / COURSE.name):
        if result.part.stem not in submitted:
            continue
        report = result.report
        if error or result.automatic is None or report is None:
            found[result.part.stem] = Part(None if error else result.automatic, found={MARKS: error or "no report"})
            continue
        texts = {item.what: item.found for item in report.items if item.found}
        texts |= {MARKS: report.breach or report.fault} if report.breach or report.fault else {}
        found[result.part.stem] = Part(result.automatic, {item.what: item.won for item in report.items}, texts)
    return found


def expected(student: str, submitted: list[str]) -> dict[str, Part]:
    """The marks that a student's answers must earn by their names; no part of the sample class's damaged submission."""
    numbers = [number for number, part in course.PARTS.items() if part.stem in submitted]
    named = {
        "usual-mistakes": sample_class.USUAL_MISTAKES,
        "unusual-style": sample_class.UNUSUAL_STYLE,
        "rule-breaker": sample_class.RULE_BREAKER,
        "untouched-release": dict.fromkeys(numbers, "00"),
        "half-done": {n: f"{course.PARTS[n].automatic if n <= 7 else 0:02d}" for n in numbers},
    }
    if student == "model-answers":
        found = {n: course.PARTS[n].automatic for n in numbers}
    elif student in named:
        found = {n: float(named[student][n].split("-")[0]) for n in numbers}
    else:
        found = {n: float(student.split("-")[1]) for n in numbers if student.startswith(f"{course.PARTS[n].stem}-")}
    return {course.PARTS[n].stem: Part(float(marks)) for n, marks in found.items()}


def differences(runs: Mapping[str, Earned]) -> list[Difference]:
    """Every mark and item that isn't the same in all runs, by the runs' names; of EXPECTED the marks it knows.

    The items of a part are compared among the runs in which its test came to items, where the marks don't say it all.
    """
    out = []
    places = {(student, part) for found in runs.values() for student, parts in found.items() for part in parts}
    for student, part in sorted(places):
        here = {
            name: found.get(student, {}).get(part, Part(None, found={MARKS: "missing"}))
            for name, found in runs.items()
            if name != EXPECTED or part in found.get(student, {})
        }
        marks = {name: each.marks for name, each in here.items()}
        out += _difference(student, part, MARKS, marks, here)
        itemised = {name: each for name, each in here.items() if each.items}
        for item in dict.fromkeys(item for each in itemised.values() for item in each.items):
            won = {name: each.items.get(item) for name, each in itemised.items()}
            out += _difference(student, part, item, won, itemised)
    return out


def _difference(
    student: str, part: str, item: str, values: dict[str, float | None], here: dict[str, Part]
) -> list[Difference]:
    runs: dict[float | None, list[str]] = {}
    for name, value in values.items():
        runs.setdefault(value, []).append(name)
    if len(runs) < 2:
        return []
    found = {
        value: next(filter(None, (here[name].found.get(item) for name in names)), "") for value, names in runs.items()
    }
    return [Difference(student, part, item, runs, found)]


def dump(earned: Earned) -> str:
    """The marks and items as JSON."""
    return json.dumps(
        {student: {part: asdict(each) for part, each in parts.items()} for student, parts in earned.items()}
    )


def load(text: str) -> Earned:
    """What `dump` wrote."""
    found = json.loads(text)
    return {student: {part: Part(**each) for part, each in parts.items()} for student, parts in found.items()}
