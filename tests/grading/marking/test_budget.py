"""What a hidden test computes has an end: the student's data cost their marks, an error of ours costs none."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import lean
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from attention import course, mistakes
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core import limit_messages, limits
from grading.gradebook import course_folder, generate_assignment, marks
from grading.judge import execution, save_marks
from grading.marking import budget, rubric
from grading.marking.budget import TooMuch
from grading.marking.rubric import Verdict

ENOUGH = 2**40  # bytes


def forever() -> None:
    while True:
        pass


def busy(seconds: float) -> None:
    """Computes for some seconds of this thread's own time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_work_without_end_is_ended():
    with pytest.raises(TooMuch), budget.limited(0.2, ENOUGH):
        forever()


def test_work_is_ended_in_any_thread():
    ended = []

    def work() -> None:
        try:
            with budget.limited(0.2, ENOUGH):
                forever()
        except TooMuch:
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert ended


def test_work_that_catches_every_exception_is_ended_all_the_same():
    with pytest.raises(TooMuch), budget.limited(0.2, ENOUGH):
        while True:
            with contextlib.suppress(Exception):
                forever()


def test_a_strike_that_python_goes_over_is_not_the_last(monkeypatch: pytest.MonkeyPatch):
    over = []
    monkeypatch.setattr(sys, "unraisablehook", over.append)

    class Cleared:
        def __del__(self) -> None:
            busy(5)

    with pytest.raises(TooMuch), budget.limited(0.2, ENOUGH):
        Cleared()
        busy(5)
    assert [each.exc_type for each in over] == [TooMuch]


def test_a_test_cell_computes_on_one_thread_however_many_cores_there_are():
    libraries = ThreadpoolController()
    with libraries.limit(limits=4), pytest.raises(LookupError, match=r"\[1(, 1)*\]"):
        execution.run_test(
            "import threadpoolctl as t\nraise LookupError([n['num_threads'] for n in t.threadpool_info()])\n0.0", "a", 1
        )


def test_waiting_is_no_work():
    with budget.limited(0.2, ENOUGH):
        time.sleep(0.6)


def test_what_is_aside_is_not_counted_as_the_test_s():
    with budget.limited(0.5, ENOUGH):
        with budget.aside(None):
            busy(1.0)
        with budget.aside(5.0):
            busy(1.0)
        busy(0.1)


def test_a_limit_of_its_own_ends_what_is_aside_and_the_test_goes_on():
    with budget.limited(5.0, ENOUGH):
        with pytest.raises(TooMuch), budget.aside(0.2):
            forever()
        busy(0.2)


def test_no_strike_is_left_over():
    for _ in range(20):
        with budget.limited(0.1, ENOUGH):
            busy(0.09)
    busy(0.3)


PROFILED = """
import sys
from grading.marking import budget

def kept():
    with budget.limited(5.0, 10**9):
        pass

def struck():
    try:
        with budget.limited(0.2, 10**9):
            while True:
                pass
    except budget.TooMuch:
        pass

for block in (kept, struck, kept):
    block()
    sys.setprofile(lambda *_: None)
    (lambda: None)()
    sys.setprofile(None)
"""


def test_a_profile_function_still_works_after_a_limit_was_kept_or_struck():
    subprocess.run([sys.executable, "-c", PROFILED], cwd=REPOSITORY, timeout=30, check=True)


def test_an_array_that_is_larger_than_the_limit_by_itself_is_too_much():
    with pytest.raises(TooMuch), budget.limited(60.0, 2**30):
        np.empty((10**6, 10**6))


def test_memory_that_grows_beyond_the_limit_is_too_much():
    with pytest.raises(TooMuch), budget.limited(60.0, 50 * 2**20):
        held = np.ones(20 * 2**20)
        forever()
        assert held.any()


def test_any_other_lack_of_memory_is_ours():
    with pytest.raises(MemoryError), budget.limited(60.0, ENOUGH):
        raise MemoryError


def test_a_search_for_a_mistake_that_never_ends_costs_the_name_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "SEARCH_LIMIT_S", 0.2)
    wrong = Verdict(False, "what was found.")
    with budget.limited(0.5, ENOUGH):
        assert mistakes.diagnosed(wrong, forever) == wrong
        assert mistakes.diagnosed(wrong, lambda: "rows-repeated").mistake == "rows-repeated"


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What becomes of part 3 where the comparison of two arrays is something else."""

    def run(close: object) -> tuple[float | None, list[str], str]:
        monkeypatch.setattr(limits, "WORK_LIMIT_S", 1.0)
        monkeypatch.setattr(rubric, "close", close)
        part, folder = course.PARTS[3], tmp_path / "submitted" / "anna" / COURSE.name
        lean.new(tmp_path, part)
        folder.mkdir(parents=True)
        answer = (handed_in.ANSWERS / "part03" / "10-einsum.py").read_text(encoding="utf-8")
        lean.write(folder, part, handed_in.submission(part, answer))
        generate_assignment.register(tmp_path)
        assert course_folder.api(tmp_path).autograde(COURSE.name, "anna", force=True, create=True)["success"]
        path = tmp_path / "autograded" / "anna" / COURSE.name / "part03.ipynb"
        with course_folder.gradebook(tmp_path) as book:
            shown = json.dumps(json.loads(path.read_text()), ensure_ascii=False) if path.exists() else ""
            return (
                marks.read(book, COURSE)[0].parts[3],
                save_marks.unmarked(book, COURSE.name, "anna"),
                shown,
            )

    return run


def test_the_judge_gives_0_points_and_says_why_where_a_test_takes_too_long(marked):
    points, unmarked, shown = marked(lambda *_, **__: forever())
    assert (points, unmarked) == (0.0, [])
    assert limit_messages.TOO_MUCH[:60] in shown and execution.KERNEL_ENDED not in shown


def test_an_error_of_ours_still_leaves_the_part_without_a_mark(marked):
    def broken(*_: object, **__: object) -> None:
        raise MemoryError

    points, unmarked, _ = marked(broken)
    assert points is None and unmarked == ["part03"]
