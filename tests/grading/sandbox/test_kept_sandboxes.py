"""Who keeps a sandbox, for which course, and until when."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from kernel_runs import alive, inside

from grading.core.course import Course, Libraries, Part
from grading.sandbox import kept_sandboxes
from grading.sandbox.host import Sandbox, SandboxError
from grading.sandbox.kept_sandboxes import Pool, Sandboxes

ONE = Course("one", "One", "One", (Part(1, "First", "first", ("first",), 1.0),), libraries=Libraries(("json",)))
TWO = replace(ONE, name="two")  # whose notebooks import the same


@pytest.fixture
def sandboxes() -> Iterator[Sandboxes]:
    made = Sandboxes()
    yield made
    made.close()


def test_a_pool_keeps_its_sandbox_as_long_as_it_is_alive():
    with Pool(walled=False) as pool:
        first = pool.take()
        pool.give_back(first)
        assert pool.take() is first
        first.kill()
        pool.give_back(first)
        assert pool.take() is not first
        assert not first.answers()


def test_what_comes_back_to_a_pool_that_is_closed_is_ended():
    pool = Pool(walled=False)
    box = pool.take()
    pool.close()
    assert box.answers(), "it is in use"
    processes = inside(box)
    pool.give_back(box)
    assert not alive(processes)


def test_a_sandbox_that_was_begun_is_the_course_s(sandboxes: Sandboxes):
    sandboxes.begin(ONE)
    (begun,) = sandboxes._pools.values()
    box = begun.take()
    begun.give_back(box)
    assert sandboxes.of_course(ONE, True) is begun and begun.take() is box


def test_a_sandbox_that_was_begun_where_the_walls_cannot_stand_is_given_to_nobody(
    sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
):
    sandboxes.begin(ONE)
    monkeypatch.setattr(kept_sandboxes.bubblewrap, "available", lambda: "no walls")
    with pytest.raises(SandboxError, match="^no walls$"):
        sandboxes.of_course(ONE, True)


def test_two_courses_in_one_process_never_get_the_same_sandbox_even_if_they_import_the_same(sandboxes: Sandboxes):
    used: dict[str, set[Sandbox]] = {"one": set(), "two": set()}
    for _ in range(2):
        for course in (ONE, TWO):
            pool = sandboxes.of_course(course, False)
            box = pool.take()
            used[course.name].add(box)
            pool.give_back(box)
    assert [len(boxes) for boxes in used.values()] == [1, 1], "each course has kept its own"
    assert not used["one"] & used["two"]


def test_a_course_that_is_walled_and_one_that_is_not_share_nothing(sandboxes: Sandboxes, monkeypatch):
    monkeypatch.setattr(kept_sandboxes, "Pool", lambda walled, libraries: Stand(walled))
    assert [sandboxes.of_course(ONE, walled).walled for walled in (True, False, True)] == [True, False, True]


def test_the_courses_that_were_graded_last_keep_their_sandboxes_and_others_give_them_up(
    sandboxes: Sandboxes, monkeypatch
):
    monkeypatch.setattr(kept_sandboxes, "Pool", lambda walled, libraries: Stand(walled))
    first, second, _ = (sandboxes.of_course(course, False) for course in (ONE, TWO, ONE))
    third = sandboxes.of_course(replace(ONE, name="three"), False)
    assert [each.closed for each in (first, second, third)] == [False, True, False]
    assert sandboxes.of_course(ONE, False) is first and sandboxes.of_course(TWO, False) is not second
    sandboxes.close()
    assert first.closed and third.closed and sandboxes.of_course(ONE, False) is not first


class Stand:
    """Stands for a pool."""

    def __init__(self, walled: bool) -> None:
        self.walled, self.closed = walled, False

    def close(self) -> None:
        self.closed = True


def test_a_sandbox_outlives_the_thread_that_made_it_and_ends_with_its_own(sandboxes: Sandboxes):
    before, made = set(threading.enumerate()), []  # some of which other tests have left, and may end meanwhile
    maker = threading.Thread(target=lambda: made.append(sandboxes.of_course(ONE, True).take()))
    maker.start()
    maker.join()
    time.sleep(0.5)  # for the system to end what the thread had started
    (box,) = made
    assert box.answers()
    (own,) = set(threading.enumerate()) - before
    box.close()
    assert not own.is_alive()
