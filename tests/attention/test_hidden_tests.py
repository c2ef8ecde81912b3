"""How a hidden test calls an answer follows from the course, whether a judge says so or nobody but the test."""

import pytest
from hidden_tests import QUICK, Beside, run

from attention.course import COURSE
from dev import sample_class
from grading.bridge import probe
from grading.core.course import Calls


class Settled(Beside):
    """Answers requests as long as they are made as the course has it."""

    def ask(self, request: bytes, limit_s: float) -> bytes:
        """The reply."""
        assert probe._way.get().calls == COURSE.calls
        return super().ask(request, limit_s)


@pytest.mark.parametrize("number", QUICK)
def test_a_hidden_test_settles_how_it_calls_before_its_first_call(number):
    with probe.through(Settled(number), Calls(dtype="float16")):  # as a student's own kernel may be set
        report = run(number, Settled(number))
    assert report.marks == report.points


@pytest.mark.parametrize("part", COURSE.parts, ids=lambda part: part.stem)
def test_a_hidden_test_is_a_list_that_is_read_on_one_page(part):
    source = sample_class.sources(part)[f"{part.stem}-test"]
    assert 0 < len(source.splitlines()) <= 60
