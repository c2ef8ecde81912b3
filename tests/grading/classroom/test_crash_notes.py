"""Who ended a run or a worker: noted on the disk, set aside, graded last and alone, and given up after the second time.

No worker grades here: a team stands in for Dask's, and what it answers, or that it ends, is in the test's hand. Runs
that are really killed are in test_class_run.
"""

import json
from collections import deque
from pathlib import Path

import pytest
from distributed import KilledWorker

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.classroom import class_run, crash_notes, task_queue, worker
from grading.classroom.task_queue import Graded
from grading.core import errors, limits
from grading.gradebook import course_folder

KILLED = KilledWorker("task", None, 0)


class Ended(BaseException):
    """The run ends here and now, as by kill -9: nothing is put in order."""


class Team:
    """Workers whose answers are known; notes who was at work together with whom."""

    folder, manned = None, True

    def __init__(self, room: int, answers: dict[str, list]) -> None:
        self.size, self.answers, self.together = room, answers, []
        self.crash_notes: deque[str] = deque()

    def __enter__(self) -> "Team":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @property
    def room(self) -> int:
        return self.size - len(self.crash_notes)

    @property
    def busy(self) -> bool:
        return bool(self.crash_notes)

    def share(self, *_: object) -> None:
        pass

    def submit(self, name: str, *_: object) -> None:
        self.crash_notes.append(name)
        self.together.append(tuple(self.crash_notes))

    def next(self, limit_s: float) -> tuple[str, object]:
        name = self.crash_notes[0]
        found = self.answers[name].pop(0) if self.answers.get(name) else worker.Result(name, error="settled.")
        if isinstance(found, BaseException) and not isinstance(found, KilledWorker):
            raise found
        self.crash_notes.popleft()
        return name, found


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for student in ("anna", "ben", "cleo", "dora"):
        submit(tmp_path, student, "as it was")
    (tmp_path / "autograded").mkdir()
    course_folder.configure(tmp_path, REPOSITORY)
    monkeypatch.setattr(task_queue.merge, "before", lambda engine, course, student: {})
    return tmp_path


def submit(root: Path, student: str, text: str) -> None:
    folder = root / "submitted" / student / COURSE.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "part01.ipynb").write_text(text)


class Inputs:
    digest = "tests"
    archived = archive = ""

    @classmethod
    def without_archive(cls) -> type:
        return cls


def run(root: Path, monkeypatch: pytest.MonkeyPatch, room: int = 2, asked: str | None = None, **answers: list):
    """One run, with the results by student, the team, and what was said meanwhile."""
    team, said = Team(room, answers), []
    monkeypatch.setattr(class_run.cluster, "Workers", lambda *_: team)
    monkeypatch.setattr(class_run.inputs, "read", lambda *_: Inputs)
    students = ["anna", "ben", "cleo", "dora"] if asked is None else [asked]
    found: dict[str, Graded] = {}
    for result in class_run.graded(root, students, room, say=said.append, asked=asked):
        assert result.student not in found
        found[result.student] = result
    return found, team, said


def killed(root: Path, monkeypatch: pytest.MonkeyPatch, **answers: list) -> None:
    """A run that ends as by kill -9 when it comes to an `Ended`; the notes stay as they are at that moment."""
    with monkeypatch.context() as patch:
        patch.setattr(crash_notes.Notes, "__exit__", lambda *_: None)
        with pytest.raises(Ended):
            run(root, patch, **answers)


def noted(root: Path) -> dict[str, int]:
    return {p.parent.name: json.loads(p.read_text())["ended"] for p in root.glob(f"autograded/*/{crash_notes.NAME}")}


def test_who_was_at_work_when_a_run_was_killed_is_graded_last_and_alone(root: Path, monkeypatch):
    killed(root, monkeypatch, anna=[Ended()])
    assert noted(root) == {"anna": 1, "ben": 1}
    found, team, said = run(root, monkeypatch)
    assert team.together[-4:] == [("cleo",), ("cleo", "dora"), ("anna",), ("ben",)]
    assert [line.split(":")[0] for line in said] == ["anna", "ben"] and "graded last, alone" in said[0]
    assert "the last run" in found["anna"].aside and not found["cleo"].aside
    assert found.keys() == {"anna", "ben", "cleo", "dora"} and noted(root) == {}
    assert run(root, monkeypatch)[1].together[0] == ("anna",)  # a good end, and all is forgotten


def test_what_ends_a_second_run_is_left_out_by_the_third_until_it_changes_or_is_asked_for(root: Path, monkeypatch):
    killed(root, monkeypatch, anna=[Ended()])
    killed(root, monkeypatch, anna=[Ended()])
    assert noted(root) == {"anna": 2, "ben": 1}  # ben was still waiting for his turn
    for _ in range(2):
        found, team, _ = run(root, monkeypatch)
        assert "--student anna" in found["anna"].error and not any("anna" in names for names in team.together)
        assert found.keys() == {"anna", "ben", "cleo", "dora"} and "settled" in found["ben"].error
    found, _, _ = run(root, monkeypatch, asked="anna")
    assert found["anna"].error == "settled." and noted(root) == {}
    killed(root, monkeypatch, anna=[Ended()])
    killed(root, monkeypatch, anna=[Ended()])
    submit(root, "anna", "another text")
    _, team, said = run(root, monkeypatch)
    assert team.together[0] == ("anna",) and [line.split(":")[0] for line in said] == ["ben"]


def test_what_ended_its_worker_is_tried_once_more_last_and_alone(root: Path, monkeypatch):
    found, team, said = run(root, monkeypatch, anna=[KILLED])
    assert team.together[-1] == ("anna",) and team.together[-2] != ("anna",)
    assert found["anna"].error == "settled." and "worker" in found["anna"].aside and len(said) == 1
    assert noted(root) == {} and not found["anna"].ended
    found, team, _ = run(root, monkeypatch, anna=[KILLED, KILLED])
    assert "the worker that graded it ended twice" in found["anna"].error and "settled" in found["dora"].error
    assert noted(root) == {"anna": 1}  # the next run begins with the others
    assert [student for student in found if found[student].ended] == ["anna"]
    found, team, _ = run(root, monkeypatch, anna=[KILLED])
    assert team.together[-1] == ("anna",) and "ended twice" in found["anna"].error and noted(root) == {"anna": 2}
    assert "--student anna" in run(root, monkeypatch)[0]["anna"].error


def test_what_the_system_killed_is_graded_once_more_alone_and_in_every_later_run_last(root: Path, monkeypatch):
    struck = worker.Result("anna", error="its notebook was killed", killed=True)
    found, team, said = run(root, monkeypatch, anna=[struck])
    assert team.together[-1] == ("anna",) and team.together[0] == ("anna",) and len(team.together) == 5
    assert found["anna"].error == "settled." and "the system ended one of its notebooks" in found["anna"].aside
    assert len(said) == 1 and noted(root) == {} and not found["anna"].ended
    for times in (1, 2, 3, 4):
        found, team, _ = run(root, monkeypatch, anna=[struck] * (2 if times == 1 else 1))
        assert team.together[-1] == ("anna",) and (team.together[0] == ("anna",)) == (times == 1)
        assert ("in this run" if times == 1 else f"in {times} runs in a row") in found["anna"].error
        assert "GRADING_MEMORY_BYTES=" in found["anna"].error and "--student anna" in found["anna"].error
        assert [student for student in found if found[student].ended] == ["anna"]
        assert found["dora"].error == "settled." and noted(root) == {"anna": 0}  # it ended no run
    killed(root, monkeypatch, ben=[Ended()])
    assert noted(root)["anna"] == 0  # nor did it begin in one that was ended
    found, team, _ = run(root, monkeypatch)
    assert sorted(team.together[-3:]) == [("anna",), ("ben",), ("cleo",)]
    assert found["anna"].error == "settled." and "anna" not in noted(root)
    run(root, monkeypatch, anna=[struck, struck])
    submit(root, "anna", "another text")
    assert run(root, monkeypatch)[1].together[0] == ("anna",)


def test_ctrl_c_makes_a_suspect_only_of_what_took_longer_than_a_submission_may(root: Path, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        run(root, monkeypatch, anna=[KeyboardInterrupt()])
    assert noted(root) == {}
    clock = iter([0.0, 2.0, limits.STUDENT_LIMIT_S + 1.0, limits.STUDENT_LIMIT_S + 1.0])
    with monkeypatch.context() as patch:
        patch.setattr(crash_notes.time, "monotonic", lambda: next(clock))
        with pytest.raises(KeyboardInterrupt):
            run(root, patch, anna=[KeyboardInterrupt()])
    assert noted(root) == {"anna": 1}
    with pytest.raises(KeyboardInterrupt):  # anna is alone now, and not for long: no better and no worse than before
        run(root, monkeypatch, anna=[KeyboardInterrupt()])
    assert noted(root) == {"anna": 1}


def test_our_own_error_makes_a_suspect_of_whoever_was_being_merged(root: Path, monkeypatch):
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(task_queue.merge, "merge", fails)
        with pytest.raises(ZeroDivisionError):
            run(root, patch, anna=[worker.Result("anna", after={})])
    assert noted(root) == {"anna": 1}


def test_a_damaged_note_counts_as_none(root: Path, monkeypatch):
    (root / "autograded" / "anna").mkdir()
    (root / "autograded" / "anna" / crash_notes.NAME).write_text("{")
    assert run(root, monkeypatch)[1].together[0] == ("anna",) and noted(root) == {}


def test_while_a_cluster_has_no_workers_nobody_is_at_work(root: Path, monkeypatch):
    monkeypatch.setattr(Team, "manned", False)
    killed(root, monkeypatch, anna=[Ended()])
    assert noted(root) == {}


def test_a_note_that_does_not_fit_on_the_disk_leaves_nothing(root: Path, monkeypatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(crash_notes.os, "fsync", full)
    with pytest.raises(OSError):
        run(root, monkeypatch)
    assert not list((root / "autograded").glob("*/*"))


def test_a_student_who_is_not_there_is_said_in_a_line(root: Path):
    assert course_folder.students(root, "ben") == ["ben"]
    with pytest.raises(errors.CourseError, match="there is no folder .*zoe"):
        course_folder.students(root, "zoe")
