"""Every answer in tests/answers earns what its name says and is told what its first line names.

They go through the real notebooks, nbgrader and the judge; some once more without the judge, as in JupyterLab. Where
ALL_ANSWERS is set, all do both, with figures, visible checks and all samples of part 13, which takes four times as
long. Where DRAWN is, as in a run of all tests, only those that `drawn` draws.
"""

import os
from pathlib import Path

import direct_runs
import drawn
import graded_answers
import pytest
from graded_answers import Found
from hand_written import declared

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.core.course import Part

ALL = sorted(handed_in.ANSWERS.glob("part*/*.py"))
LARGE = {5, 7, 10, 13}
WHOLLY = bool(os.environ.get("ALL_ANSWERS"))
ANSWERS = drawn.answers(ALL) if drawn.WHOLE_RUN and not WHOLLY else ALL


def _of(part: Part, answers: list[Path]) -> list[Path]:
    return [path for path in answers if path.parent.name == part.stem]


def _is_right(answer: Path) -> bool:
    return float(answer.stem.split("-")[0]) == COURSE.part_of(answer.parent.name).automatic


# Of each part a right and a wrong one.
DIRECTLY = ALL if WHOLLY else sorted({(path.parent, _is_right(path)): path for path in ANSWERS}.values())


def _asked_for(answers: list[Path], request: pytest.FixtureRequest) -> list[Path]:
    """Those answers that the tests of this run are about: `-k` may choose a few."""
    ours = [item for item in request.session.items if item.path == Path(__file__) and hasattr(item, "callspec")]
    asked_for = {item.callspec.params.get("answer") for item in ours}
    return [answer for answer in answers if answer in asked_for]


@pytest.fixture(scope="session")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Found]:
    """What every answer earned, and the usual mistakes that its report names."""
    answers = _asked_for(ANSWERS, request)
    of_part = {part.number: _of(part, answers) for part in course.PARTS.values()}
    return graded_answers.grade(of_part, tmp_path_factory.mktemp("answers"), leanly=not WHOLLY)


@pytest.fixture(scope="session")
def earned_directly(request: pytest.FixtureRequest) -> dict[Path, float | str]:
    """The marks of every answer without the judge, as in JupyterLab."""
    answers = _asked_for(DIRECTLY, request)
    submissions = [(COURSE.part_of(answer.parent.name), answer.read_text(encoding="utf-8")) for answer in answers]
    return dict(zip(answers, direct_runs.marks(submissions, lean=not WHOLLY), strict=True))


def each_of(answers: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("answer", answers, ids=lambda path: f"{path.parent.name}/{path.stem}")


each = each_of(ANSWERS)


@each
def test_an_answer_earns_what_its_name_says(answer: Path, found: dict[Path, Found]):
    assert found[answer].marks == float(answer.stem.split("-")[0])


@each
def test_an_answer_is_told_the_mistakes_that_its_first_line_names(answer: Path, found: dict[Path, Found]):
    assert found[answer].mistakes == sorted(declared(answer))


@each_of(DIRECTLY)
def test_an_answer_earns_the_same_without_the_judge(answer: Path, earned_directly: dict[Path, float | str]):
    assert earned_directly[answer] == float(answer.stem.split("-")[0])


@pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
def test_a_part_has_right_answers_of_many_kinds_and_wrong_ones(part: Part):
    answers = _of(part, ALL)
    right = [path for path in answers if _is_right(path)]
    least_right, least_wrong = (12, 15) if part.number in LARGE else (5, 8)
    assert len(right) >= least_right
    assert len(answers) - len(right) >= least_wrong


def test_a_run_of_all_tests_draws_answers_of_every_kind():
    some = drawn.answers(ALL)
    assert some == drawn.answers(ALL) and len(ALL) / 6 < len(some) < 0.4 * len(ALL)

    def kinds(answers: list[Path]) -> set[tuple[str, ...]]:
        return {(path.parent.name, path.stem.split("-")[0], *declared(path)) for path in answers}

    assert kinds(some) == kinds(ALL)


def test_another_code_draws_other_answers(monkeypatch: pytest.MonkeyPatch):
    before = set(drawn.answers(ALL))
    monkeypatch.setattr(drawn, "_code", lambda: b"another code")
    assert len(before - set(drawn.answers(ALL))) > 100
