"""Every answer in tests/answers earns what its name says and is told what its first line names.

They go through the real notebooks, nbgrader and the judge.
The k-th student of this class hands in the k-th answer of each part. Part 13 finds part 5's model answer next door
where that student's own answer of part 5 is missing.
"""

from pathlib import Path

import direct_runs
import nbformat
import pytest
from hand_written import declared

from grading import autograde, course, courses, marks, reports, sample_class

ANSWERS = sorted(sample_class.ANSWERS.glob("part*/*.py"))
LISTS = {part.number: sorted((sample_class.ANSWERS / part.stem).glob("*.py")) for part in course.PARTS.values()}
LARGE = {5, 7, 10, 13}


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, tuple[float | None, list[str]]]:
    """The marks of every answer, and the usual mistakes that its report names."""
    root = tmp_path_factory.mktemp("answers")
    courses.new(root)
    students = [f"answer-{n:02d}" for n in range(max(map(len, LISTS.values())))]
    for n, student in enumerate(students):
        folder = root / "submitted" / student / course.ASSIGNMENT
        folder.mkdir(parents=True)
        for part in course.PARTS.values():
            if n < len(LISTS[part.number]):
                answer = LISTS[part.number][n].read_text(encoding="utf-8")
                sample_class.write(folder, part, sample_class.hand_in(part, answer))
    courses.register(root)
    for done, result in enumerate(autograde.graded(root, students, feedback=False), start=1):
        print(f"[{done}/{len(students)}] {result.student} {result.error}", flush=True)
        assert not result.error and not result.unmarked, result
    with courses.gradebook(root) as book:
        rows = {row.student: row for row in marks.read(book)}
    return {
        answer: (rows[f"answer-{n:02d}"].parts[number], _named(root, f"answer-{n:02d}", course.PARTS[number].stem))
        for number, answers in LISTS.items()
        for n, answer in enumerate(answers)
    }


@pytest.fixture(scope="session")
def earned_directly() -> dict[Path, float | str]:
    """The marks of every answer without the judge, as in JupyterLab."""
    hand_ins = [(course.part_of(answer.parent.name), answer.read_text(encoding="utf-8")) for answer in ANSWERS]
    return dict(zip(ANSWERS, direct_runs.marks(hand_ins), strict=True))


def _named(root: Path, student: str, stem: str) -> list[str]:
    path = root / "autograded" / student / course.ASSIGNMENT / f"{stem}.ipynb"
    report = next(filter(None, map(reports.read, nbformat.read(path, as_version=4).cells)))
    return sorted({item.mistake for item in report.items if item.mistake})


each = pytest.mark.parametrize("answer", ANSWERS, ids=lambda path: f"{path.parent.name}/{path.stem}")


@each
def test_an_answer_earns_what_its_name_says(answer: Path, found: dict[Path, tuple[float | None, list[str]]]):
    assert found[answer][0] == float(answer.stem.split("-")[0])


@each
def test_an_answer_is_told_the_mistakes_that_its_first_line_names(
    answer: Path, found: dict[Path, tuple[float | None, list[str]]]
):
    assert found[answer][1] == sorted(declared(answer))


@each
def test_an_answer_earns_the_same_without_the_judge(answer: Path, earned_directly: dict[Path, float | str]):
    assert earned_directly[answer] == float(answer.stem.split("-")[0])


@pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
def test_a_part_has_right_answers_of_many_kinds_and_wrong_ones(part: course.Part):
    right = [path for path in LISTS[part.number] if float(path.stem.split("-")[0]) == part.automatic]
    least_right, least_wrong = (12, 15) if part.number in LARGE else (5, 8)
    assert len(right) >= least_right
    assert len(LISTS[part.number]) - len(right) >= least_wrong
