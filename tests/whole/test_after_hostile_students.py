"""What one process grades after hostile students is graded as if it had never seen them: byte for byte.

Whatever it remembers from one submission to the next (imported modules, caches, settings of NumPy, warnings that are
shown once, a strike in the middle of anything) changes no mark, no report and no page.
"""

import re
from pathlib import Path

import attacks
import graded_here
import lean
import pytest
from attacks import ATTACKS, LIMITS

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.core import limits
from grading.gradebook import generate_assignment
from grading.marking import budget

# Wrong in ways that a report explains, so that tables of mistakes and caches of oracles take part.
ANSWERS = {1: "03-value-from-x", 3: "06-no-scale-in-numpy", 6: None}
HOSTILE = (
    "forge-numbers-of-every-kind",
    "forge-lying-tensor",
    "forge-outputs-of-odd-types",
    "forge-poisoned-inputs",
    "forge-patched-libraries",
)
TIMES = re.compile(r'"(?:iopub\.|shell\.)[^"]*": "[^"]*",?')


def _submit(root: Path, student: str) -> None:
    folder = root / "submitted" / student / COURSE.name
    folder.mkdir(parents=True)
    for number, name in ANSWERS.items():
        part = course.PARTS[number]
        known = sorted((handed_in.ANSWERS / part.stem).glob("0[1-9]-*.py"))
        path = handed_in.ANSWERS / part.stem / f"{name}.py" if name else known[0]
        lean.write(folder, part, handed_in.submission(part, path.read_text(encoding="utf-8")))


def _graded(root: Path, student: str) -> dict[str, str]:
    """What a student's grading leaves, by file, without the times of its run."""
    result = graded_here.grade_student(root, student)
    assert (result.error, result.unmarked) == ("", [])
    places = [root / step / student / COURSE.name for step in ("autograded", "feedback")]
    files = [path for place in places for path in sorted(place.glob("part*"))]
    assert len(files) == 2 * len(ANSWERS)
    return {f"{path.parts[-4]}/{path.name}": TIMES.sub("", path.read_text(encoding="utf-8")) for path in files}


def test_marks_reports_and_pages_are_those_of_whoever_is_graded_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LIMITS.items():
        monkeypatch.setenv(f"GRADING_{name}", str(value))
    lean.new(tmp_path, *(course.PARTS[number] for number in ANSWERS))
    attacks.without_rules(tmp_path)
    generate_assignment.register(tmp_path)
    _submit(tmp_path, "ada")
    first = _graded(tmp_path, "ada")
    for name in HOSTILE:
        attacks.submit(tmp_path / "submitted" / name / COURSE.name, ATTACKS[name])
        graded_here.grade_student(tmp_path, name)
    with monkeypatch.context() as struck:  # in the middle of a test, of a search, and of a page
        struck.setattr(budget, "WATCH_S", 0.002)
        for name, limit_s in (("WORK_LIMIT_S", 0.01), ("SEARCH_LIMIT_S", 0.001), ("PAGE_LIMIT_S", 0.005)):
            struck.setattr(limits, name, limit_s)
        _submit(tmp_path, "eve")
        graded_here.grade_student(tmp_path, "eve")
    assert _graded(tmp_path, "ada") == first
