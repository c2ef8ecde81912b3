"""A fixed number of cases of each fuzzer; `make fuzz` runs more. What fails prints what repeats it."""

import asyncio
import contextlib
import random
import sys
import threading
from pathlib import Path

import fuzzing
import lean
import pytest
from fuzzing import channels, messages, replies, submissions, walled

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.core import limits
from grading.gradebook import course_folder, generate_assignment, marks
from grading.judge import incoming
from grading.sandbox import bubblewrap

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import fuzz

LAST = messages.sound("execute_reply", {"status": "ok"})


def test_whatever_a_kernel_does_to_its_connections_the_run_ends_with_marks_and_the_next_one_is_exact():
    assert fuzzing.failures(channels.FUZZER, 30) == ""


def test_whatever_a_kernel_says_in_a_message_a_valid_notebook_comes_of_it():
    assert fuzzing.failures(messages.FUZZER, 200) == ""


def test_a_reply_that_is_too_large_ends_its_cell_like_any_other():
    large = messages.sound("execute_reply", {"status": "error", "evalue": "x" * limits.MESSAGE_BYTES})
    assert incoming.read(large)["msg_type"] == "execute_reply" and incoming.read(large)["content"] == incoming.TOO_LONG


@pytest.mark.parametrize("kind", sorted(messages.SOUND))
def test_of_the_shells_messages_only_replies_are_replies(kind: str):
    shell = messages.channel("shell", [messages.sound(kind, messages.SOUND[kind]), LAST])
    assert asyncio.run(shell.get_msg())["content"]["status"] in ("ok", "error")


def test_a_spoilt_reply_is_refused_or_is_data():
    assert fuzzing.failures(replies.FUZZER, 2_000) == ""


def test_a_spoilt_submission_is_refused_with_a_reason_or_gives_a_clean_copy():
    assert fuzzing.failures(submissions.FUZZER, 80) == ""


def test_one_class_of_spoilt_submissions_is_graded_and_costs_an_honest_student_nothing(tmp_path: Path):
    rng, part = fuzzing.numbers("class", fuzzing.SEED, 0), course.PARTS[1]
    lean.new(tmp_path, part)
    spoilt, honest = [f"s{n}" for n in range(3)], ["anna"]
    for student in spoilt + honest:
        folder = tmp_path / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        lean.write(folder, part, handed_in.model(part))
        if student in spoilt:
            (folder / f"{part.stem}.ipynb").write_bytes(submissions.notebook(part, rng))
            submissions.litter(folder, rng)
    submissions.litter(tmp_path / "submitted", rng)
    generate_assignment.register(tmp_path)
    results = {
        result.student: result for result in class_run.graded(tmp_path, course_folder.students(tmp_path), workers=1)
    }
    assert all(results[student].error == "" and results[student].unmarked == [] for student in spoilt + honest)
    assert all(class_run.line(result).isprintable() for result in results.values())
    with course_folder.gradebook(tmp_path) as book:
        rows = {row.student: row.parts[1] for row in marks.read(book, COURSE)}
    assert [rows[student] for student in honest] == [part.automatic]
    assert all(0 <= rows[student] <= part.automatic for student in spoilt)


def test_the_same_holds_of_connections_spoilt_from_behind_the_walls():
    if reason := bubblewrap.available():
        pytest.fail(reason)
    assert fuzzing.failures(walled.FUZZER, 6) == ""


def test_a_case_is_repeated_by_its_seed_and_number():
    first, again, other, another = (
        replies.spoilt_reply(fuzzing.numbers("replies", *case)) for case in ((1, 7), (1, 7), (1, 8), (2, 7))
    )
    assert first == again and len({first, other, another}) == 3


def test_a_failing_case_and_one_that_hangs_are_reported_with_the_command_that_repeats_them():
    def case(rng: random.Random) -> None:
        if rng.random() != fuzzing.numbers("holes", fuzzing.SEED, 0).random():
            raise ValueError("a hole")

    def hangs(_: random.Random) -> None:
        while True:
            with contextlib.suppress(Exception):
                threading.Event().wait()

    assert f"--only holes --seed {fuzzing.SEED} --first 1 --cases 1" in fuzzing.failures(
        fuzzing.Fuzzer("holes", case, 5.0), 2
    )
    assert "It was not over after 0.1 s." in fuzzing.failures(fuzzing.Fuzzer("hangs", hangs, 0.1), 1)


def test_the_command_prints_its_seed_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--only", "replies", "--seed", "3", "--cases", "5"])
    assert fuzz.main() == 0
    seed, progress, end = capsys.readouterr().out.splitlines()
    assert seed == "seed 3" and progress.startswith("replies: 5 of 5 cases, 0 failed") and end == "Nothing failed."


def test_the_command_ends_with_1_if_anything_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--only", "replies", "--seed", "3", "--cases", "9"])
    monkeypatch.setattr(replies.probe, "printed", lambda *_: (object(), ""))
    assert fuzz.main() == 1
    assert "replies, seed 3, case 8. To repeat it: " in capsys.readouterr().out
