"""A submission that was tried in vain is tried again, later each time, so that it holds up nobody else."""

import errno

import pytest

from grading.classroom.service import attempts


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(attempts.time, "monotonic", lambda: now[0])
    return now


def test_one_that_cannot_be_copied_is_tried_less_and_less_often(clock: list[float]):
    tried = attempts.Attempts()
    for wait_s in (10, 20, 40, 80, 160, 300, 300):
        tried.kept_from(7, OSError(errno.EACCES, "Permission denied"))
        assert tried.may_begin(8)
        clock[0] += wait_s - 1
        assert not tried.may_begin(7)
        clock[0] += 1
        assert tried.may_begin(7)
    tried.forget(7)
    tried.kept_from(7, OSError(errno.EACCES, "Permission denied"))
    clock[0] += 10
    assert tried.may_begin(7)


def test_one_on_which_the_grader_fails_is_tried_three_times_in_all_and_at_once_unless_it_is_put_off(clock: list[float]):
    tried = attempts.Attempts()
    assert tried.failed(7) and tried.may_begin(7)
    assert tried.failed(7, put_off=True)
    clock[0] += attempts.PUT_OFF_S - 0.1
    assert not tried.may_begin(7) and tried.may_begin(8)
    clock[0] += 0.1
    assert tried.may_begin(7)
    assert not tried.failed(7) and tried.failed(8)
    tried.forget(7)
    assert tried.failed(7)


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EROFS, ""), ValueError()]
)
def test_what_keeps_all_from_being_copied_changes_no_order(error: Exception, clock: list[float]):
    tried = attempts.Attempts()
    tried.kept_from(7, error)
    assert tried.may_begin(7)
