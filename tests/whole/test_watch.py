"""The service that grades each submission as it arrives: what students and instructors see, and what can go wrong.

What goes wrong here is done: the service is killed, its files may not grow, its gradebook is moved away.
"""

import contextlib
import itertools
import json
import os
import random
import re
import resource
import secrets
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import browser
import postgres
import pytest
import watched
from playwright.sync_api import expect
from watched import ALL, COURSE, HALF, NONE, RIGHT, SLOW, SLOWER, SOME

from grading.__main__ import main
from grading.classroom import registration
from grading.classroom.service import journal
from grading.gradebook import course_folder

SETTINGS = "c.Watch.release = True\nc.ExchangeCollect.check_owner = False"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose feedback goes into the exchange at once, two submissions an hour, quiet before the deadline."""
    more = f"{SETTINGS}\nc.Watch.an_hour = 2\nc.Watch.quiet_minutes = 60"
    return watched.released(tmp_path_factory.mktemp("watched") / "course", more)


@pytest.fixture(scope="module")
def service(root: Path) -> Iterator[watched.Service]:
    """The service of that course."""
    with watched.running(root, workers=2) as running:
        running.wait(lambda: running.ask("health")[0] == 200)
        yield running


def graded(service: watched.Service, student: str, times: int = 1) -> None:
    service.wait_said(rf" {student}: graded(,|$)", times)


def at_work(service: watched.Service, student: str, answers: dict[str, str]) -> watched.Submitted:
    """Submits something, and waits until it is at work, where it stays until that has been seen."""
    service.wait(lambda: service.ask("health")[0] == 200)
    with watched.stopped_workers(service):
        submitted = watched.submit(service.root, student, answers)
        service.wait(lambda: [each for each in service.queue()["at_work"] if each["student"] == student])
    return submitted


def set_due(root: Path, when: datetime | None) -> None:
    with course_folder.gradebook(root) as book:
        book.update_or_create_assignment(COURSE, duedate=when)


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def test_marks_and_feedback_are_there_within_seconds(service: watched.Service):
    right, half = (watched.submit(service.root, *each) for each in (("anna", RIGHT), ("ben", HALF)))
    graded(service, "anna"), graded(service, "ben")
    assert watched.earned(service.root) == {"anna": ALL, "ben": SOME}
    for one, points in ((right, 6), (half, 2)):
        page = service.wait(lambda one=one: one.feedback("part01"))
        assert f"<strong>{points}</strong> of 6 points" in page and "HIDDEN TESTS" not in page
        assert one.feedback("part02")
    (line,) = service.said(" anna: graded,")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  anna: graded, \d+\.\d s after it arrived", line)


def test_its_workers_are_forked_from_a_fork_of_it_and_make_no_imports_anew(service: watched.Service):
    started = [" ".join(each.cmdline()) for each in service.process.children(recursive=True)]
    assert sum("grading watch" in line for line in started) == 1 + 2  # what they are forked from, and two workers
    assert not [line for line in started if "forkserver" in line]


def test_who_has_no_secret_of_a_submission_finds_no_feedback_of_it(service: watched.Service):
    folder = service.root / "exchange" / COURSE / "feedback"
    assert folder.stat().st_mode & 0o777 == 0o711  # nobody lists it
    assert all(re.fullmatch(r"[0-9a-f]{32,}\.html", path.name) for path in folder.iterdir())


def test_a_submission_is_not_read_before_it_is_whole(service: watched.Service):
    submitted = watched.submit(service.root, "cleo", HALF, end=False)
    time.sleep(1.5)  # some five looks
    assert not service.said("cleo")
    watched.write(service.root, submitted.folder, RIGHT)
    submitted.end()
    graded(service, "cleo")
    assert watched.earned(service.root)["cleo"] == ALL and len(service.said(" cleo: ")) == 1


def test_a_third_submission_within_the_hour_waits_is_told_when_and_makes_room_for_a_newer_one(service: watched.Service):
    for number in (1, 2):
        watched.submit(service.root, "dora", HALF)
        graded(service, "dora", number)
    third = watched.submit(service.root, "dora", HALF)
    page = service.wait(lambda: third.feedback("part02"))
    (until,) = re.findall(r"At most 2 of yours are graded .* after (\S+ \S+) UTC", page)
    wait = datetime.fromisoformat(until) - now()
    assert timedelta(minutes=50) < wait < timedelta(minutes=61)
    watched.submit(service.root, "emil", RIGHT)  # others pass
    graded(service, "emil")
    fourth = watched.submit(service.root, "dora", RIGHT)
    service.wait_said(" dora: replaced by a newer one")
    service.wait(lambda: "The newer submission counts" in third.feedback("part02"))  # in place of the other page
    assert "At most 2 of yours" in service.wait(lambda: fourth.feedback("part01"))
    (waiting,) = service.wait(lambda: service.queue()["waiting"])
    assert waiting["student"] == "dora" and waiting["place"] == 1 and waiting["not_before"] > time.time()
    assert watched.earned(service.root)["dora"] == SOME


def test_shortly_before_the_deadline_feedback_waits_until_it_has_passed(service: watched.Service):
    set_due(service.root, now() + timedelta(minutes=30))
    time.sleep(watched.RENEWED_S)
    submitted = watched.submit(service.root, "finn", RIGHT)
    graded(service, "finn")
    page = service.wait(lambda: submitted.feedback("part01"))
    assert "Marks are hidden" in page and "of 6 points" not in page
    set_due(service.root, now() - timedelta(seconds=1))
    watched.submit(service.root, "gina", RIGHT)  # so that the service looks at the date
    service.wait(lambda: "of 6 points" in submitted.feedback("part01"))
    set_due(service.root, None)


def test_a_link_to_the_hidden_tests_is_not_followed_with_the_instructor_s_rights(service: watched.Service):
    source = service.root / "source" / COURSE / "part01.ipynb"
    reads = f"print('beside: ' + repr([open(f).read(40) for f in ('a.txt',)]))\n{RIGHT['part01']}"
    submitted = watched.submit(service.root, "hugo", {**RIGHT, "part01": reads}, end=False)
    (submitted.folder / "a.txt").symlink_to(source)
    (submitted.folder / "more").symlink_to(source.parent)
    submitted.end()
    graded(service, "hugo")
    taken = service.root / "submitted" / "hugo" / COURSE
    assert (taken / "a.txt").is_symlink() and not (taken / "a.txt").exists() and not (taken / "more").exists()
    assert "HIDDEN" not in submitted.feedback("part01")
    assert service.said("hugo: a.txt: this file was left out")


def test_names_that_are_none_are_told_and_hold_up_nobody(service: watched.Service):
    inbound = service.root / "exchange" / COURSE / "inbound"
    for name in (f"<b>+{COURSE}+2026-01-02 03:04:05 UTC+r", f"ida+{COURSE}+soon+r", f"\udcff+{COURSE}+soon+r"):
        (inbound / name).mkdir()
        (inbound / name / "submission_secret.txt").write_text("s")
    service.wait_said(r"<b>: not graded.*The name")
    service.wait_said(r"ida: not graded.*folder's name in the exchange")
    service.wait_said(r"\\xff: not graded")
    watched.submit(service.root, "ida", RIGHT)
    graded(service, "ida")


def test_what_one_student_puts_into_the_exchange_harms_nobody_else(service: watched.Service):
    petra = watched.submit(service.root, "petra", RIGHT)
    graded(service, "petra")
    page = service.wait(lambda: petra.feedback("part01"))
    inbound, when = service.root / "exchange" / COURSE / "inbound", "2026-01-02 03:04:05 UTC+r"
    evil = inbound / f"..+{COURSE}+{when}"  # whose place would be that of the course's own package
    watched.write(service.root, evil, RIGHT)
    (evil / "evil.py").touch()
    (evil / "submission_secret.txt").write_text("s")
    (inbound / f"mallory+{COURSE}+{when}").symlink_to(service.root / "submitted" / "petra" / COURSE)
    (inbound / f"nina+{COURSE}+{when}").symlink_to("a" * 300)
    crowd = watched.submit(service.root, "crowd", RIGHT)
    for number in range(6000):
        (crowd.folder / f"{number}.txt").touch()
    swapped = watched.submit(service.root, "swapped", RIGHT)
    swapped.folder.rename(inbound / "elsewhere")
    swapped.folder.write_text("a file now")
    watched.submit(service.root, "olga", RIGHT)
    graded(service, "olga")
    service.wait_said(r" \.\.: not graded.*begins with a dot")
    service.wait_said(" crowd: not graded.*more than 5,000 files")
    assert sorted(path.name for path in (service.root / COURSE).glob("*.py")) == [
        "__init__.py",
        "course.py",
        "oracles.py",
    ]
    assert petra.feedback("part01") == page and not service.said("mallory|nina")


def test_health_and_metrics_hold_no_names_and_the_queue_needs_the_token(service: watched.Service):
    status, text = service.ask("health", token=False)
    assert (status, json.loads(text)["status"]) == (200, "ok")
    _, metrics = service.ask("metrics", token=False)
    assert 'watch_submissions_total{outcome="graded"}' in metrics and "watch_feedback_seconds_bucket" in metrics
    assert "anna" not in text + metrics
    status, text = service.ask("", token=False)
    assert status == 403 and "token" in text and "anna" not in text


def test_the_status_page_shows_who_waits_and_refreshes_itself(service: watched.Service):
    with browser.opened(width=900, height=700) as opened:
        page = opened.page()
        page.goto(service.address)
        assert "token" not in page.url
        expect(page.get_by_role("heading", name="In line: 1")).to_be_visible()
        expect(page.get_by_role("row", name="dora").first).to_contain_text("graded from")
        with watched.stopped_workers(service):  # or the page might look again when she is graded already
            watched.submit(service.root, "jana", SLOW)
            expect(page.get_by_role("listitem").filter(has_text="jana")).to_be_visible()
        expect(page.get_by_role("row", name="jana")).to_contain_text("graded")
        browser.photograph(page, "watch")
        assert opened.foreign == [] and opened.errors == []


def test_a_second_service_or_a_run_of_the_class_is_refused_in_a_line(service: watched.Service):
    for command in (["watch", "--port", "0"], ["autograde"]):
        ran = subprocess.run(
            [sys.executable, "-m", "grading", *command, "--course", str(service.root)],
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(watched.REPOSITORY)},
        )  # fmt: skip
        assert ran.returncode == 1 and ran.stderr.count("\n") == 1
        assert "is grading" in ran.stderr and "already" in ran.stderr


def test_a_release_that_is_changed_is_what_later_submissions_are_graded_with(service: watched.Service):
    source = service.root / "source" / COURSE / "part02.ipynb"
    notebook = json.loads(source.read_text(encoding="utf-8"))
    cell = next(cell for cell in notebook["cells"] if cell["id"] == "part02-answer")
    cell["source"] = "".join(cell["source"]) + "\n# the second edition"
    source.write_text(json.dumps(notebook), encoding="utf-8")
    time.sleep(watched.RENEWED_S)
    watched.submit(service.root, "kurt", RIGHT)
    graded(service, "kurt")
    assert watched.earned(service.root)["kurt"] == ALL
    assert (service.root / "release" / COURSE / "part02.ipynb").stat().st_mtime >= source.stat().st_mtime - 1


def test_what_the_disk_has_no_room_for_waits_and_nothing_is_lost(service: watched.Service):
    at_work(service, "lena", SLOW)
    service.process.rlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # no file of its may grow
    watched.submit(service.root, "mara", RIGHT)
    service.wait_said("waiting: .* No submission is lost")
    assert service.ask("health")[0] == 503 and str(service.root) not in service.ask("health", token=False)[1]
    service.process.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    graded(service, "lena"), graded(service, "mara")
    service.wait(lambda: service.ask("health")[0] == 200)
    assert watched.earned(service.root)["lena"] == watched.earned(service.root)["mara"] == ALL
    assert service.said("grading again")


def test_one_that_is_too_large_for_the_disk_waits_and_smaller_ones_pass(service: watched.Service):
    service.process.rlimit(resource.RLIMIT_FSIZE, (10 * 2**20, resource.RLIM_INFINITY))
    large = watched.submit(service.root, "yves", RIGHT, end=False)
    with (large.folder / "data.npy").open("wb") as file:
        file.truncate(15 * 2**20)  # of which its author's disk keeps nothing
    large.end()
    service.wait(lambda: service.ask("health")[0] == 503)
    watched.submit(service.root, "zoe", RIGHT)
    graded(service, "zoe")
    assert not service.said("yves: ")
    service.process.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    graded(service, "yves")


def test_one_that_has_no_place_waits_for_it_and_others_pass(service: watched.Service):
    place = service.root / "submitted" / "quinn"
    place.parent.mkdir(exist_ok=True)
    place.write_text("a file, where the student's folder belongs")
    watched.submit(service.root, "quinn", RIGHT)
    service.wait_said(f"waiting: File exists: {place}. No submission is lost")
    watched.submit(service.root, "rosa", RIGHT)
    graded(service, "rosa")
    assert not service.said("quinn: ")
    place.unlink()
    graded(service, "quinn")
    assert watched.earned(service.root)["quinn"] == ALL


def test_a_gradebook_that_is_gone_is_waited_for_and_never_made_anew(service: watched.Service):
    book, away = (service.root / name for name in ("gradebook.db", "away.db"))
    book.rename(away)
    before = away.read_bytes()
    watched.submit(service.root, "nora", RIGHT)
    service.wait_said("waiting: .*gradebook.db is gone")
    assert service.ask("health")[0] == 503 and away.read_bytes() == before
    away.replace(book)
    graded(service, "nora")
    assert watched.earned(service.root)["nora"] == ALL


def test_it_stops_when_asked_and_goes_on_with_who_was_at_work(tmp_path: Path):
    root = watched.released(tmp_path / "course", f'{SETTINGS}\nc.Watch.parts = ["part01"]')
    for stopped in ("anna", "bea", "cleo"):  # a busy machine may have graded one before it hears that it should stop
        with watched.running(root) as service:
            submitted = at_work(service, stopped, SLOW)
        if not service.said(f"{stopped}: graded"):
            break
    before = watched.earned(root)
    assert stopped not in before
    with watched.running(root) as service:
        service.wait_said(rf"{stopped}: graded, \d+\.\d s after it arrived")
        assert watched.earned(root) == {**before, stopped: ALL}
        # Only part 1 is shown at once, and its page holds no other part's marks.
        assert "of 6 points" in service.wait(lambda: submitted.feedback("part01"))
        assert "<nav" not in submitted.feedback("part01") and "</html>" in submitted.feedback("part01")
        assert "shown later" in submitted.feedback("part02") and "of 6 points" not in submitted.feedback("part02")


def test_a_start_before_the_exchange_is_mounted_loses_nobody_who_was_in_line(tmp_path: Path):
    root = watched.released(tmp_path / "course", SETTINGS)
    exchange, away = root / "exchange", tmp_path / "away"
    with watched.running(root) as service:
        at_work(service, "anna", SLOWER)
    exchange.rename(away)
    exchange.mkdir()  # where it is mounted
    stamp = root / "autograded" / registration.STAMP
    stamp.unlink()
    stamp.mkdir()
    with watched.running(root) as service:
        service.wait_said(f"waiting: Is a directory: {stamp}. No submission is lost")  # nor does that end it
        stamp.rmdir()
        service.wait_said(f"waiting: {COURSE} isn't in the exchange {exchange}/{COURSE} yet.* No submission is lost")
        exchange.rmdir()
        away.rename(exchange)
        graded(service, "anna")
    assert watched.earned(root) == {"anna": ALL} and not service.said("gone")


def test_who_submits_without_end_keeps_nobody_waiting_who_was_set_aside(tmp_path: Path):
    root, over = watched.released(tmp_path / "course", SETTINGS), threading.Event()
    with watched.running(root, workers=1) as running:
        at_work(running, "ada", SLOWER)
        running.wait(lambda: (root / "autograded" / "ada" / ".at-work.json").exists())
        watched.kill(running)

    def submit() -> None:
        while not over.is_set():
            watched.submit(root, "mallory", RIGHT)
            over.wait(0.5)

    submits = threading.Thread(target=submit)
    submits.start()
    try:
        with watched.running(root, workers=1) as running:
            running.wait_said("ada: set aside")
            graded(running, "ada")
            ended = running.said("(ada|mallory): graded")
            before = itertools.takewhile(lambda line: "ada" not in line, ended)
            assert len([*before]) <= 2  # one at work, and one since ada was set aside
    finally:
        over.set()
        submits.join()


def test_a_submission_that_ends_its_workers_counts_among_those_of_the_hour(tmp_path: Path):
    root = watched.released(tmp_path / "course", f"{SETTINGS}\nc.Watch.an_hour = 1")
    with watched.running(root, workers=1) as running:
        at_work(running, "mallory", SLOWER)
        pauses_s = itertools.count(2, 2)  # a busy machine may not have a worker again after the first
        while not running.said(" mallory: not graded: it ended its worker, .* ended twice"):  # the second time alone
            watched.kill_workers(running)
            time.sleep(next(pauses_s))
        again = watched.submit(root, "mallory", RIGHT)
        watched.submit(root, "ada", RIGHT)
        graded(running, "ada")
        assert "At most 1 of yours is graded" in running.wait(lambda: again.feedback("part01"))


def test_a_change_of_what_all_are_graded_with_keeps_nobody_from_being_graded_though_somebody_is_set_aside(
    tmp_path: Path,
):
    root = watched.released(tmp_path / "course", SETTINGS)
    with watched.running(root, workers=1) as running:
        at_work(running, "ada", SLOWER)
        running.wait(lambda: (root / "autograded" / "ada" / ".at-work.json").exists())
        watched.kill(running)
    watched.submit(root, "ben", SLOWER)
    with watched.running(root, workers=1) as running:
        running.wait_said("ada: set aside")
        running.wait(lambda: [each for each in running.queue()["at_work"] if each["student"] == "ben"])
        set_due(root, now() + timedelta(days=1))
        watched.submit(root, "cleo", RIGHT)
        for student in ("ben", "ada", "cleo"):
            graded(running, student)


def test_a_database_that_goes_away_is_waited_for(tmp_path: Path):
    with postgres.Server() as server:
        book = f"{SETTINGS}\nc.CourseDirectory.db_url = {server.address!r}"
        root = watched.released(tmp_path / "course", book)
        with watched.running(root) as service:
            at_work(service, "anna", SLOW)
            server.stop()
            watched.submit(root, "ben", HALF)
            service.wait_said("waiting: .* No submission is lost")
            server.start()
            graded(service, "anna"), graded(service, "ben")
            assert watched.earned(root) == {"anna": ALL, "ben": SOME}


def test_killed_at_any_moment_it_loses_nothing_and_grades_nothing_twice(tmp_path: Path):
    root, answers = watched.released(tmp_path / "course", SETTINGS), (RIGHT, HALF, {})
    seed = secrets.randbits(32)  # other moments in each run: whatever this finds is a fault of the service
    print("seed", seed)
    chance, lines = random.Random(seed), []
    submitted = {f"student-{n}": watched.submit(root, f"student-{n}", answers[n % 3]) for n in range(6)}
    for number in range(6, 8):
        with watched.running(root) as service:
            service.wait_said("the queue")
            service.wait(lambda service=service: service.queue()["status"] != "starting")
            submitted[f"student-{number}"] = watched.submit(root, f"student-{number}", answers[number % 3])
            time.sleep(chance.uniform(0, 1.5))
            watched.kill(service)
        lines += service.lines
    with watched.running(root) as service:
        service.wait(lambda: all("of 6 points" in each.feedback("part02") for each in submitted.values()))
    lines += service.lines
    assert watched.earned(root) == {name: (ALL, SOME, NONE)[n % 3] for n, name in enumerate(submitted)}
    for name, each in submitted.items():
        assert len([line for line in lines if re.search(rf" {name}: graded(,|$)", line)]) <= 1
        assert f"<strong>{(6, 2, 0)[int(name[-1]) % 3]}</strong> of 6 points" in each.feedback("part01")
    found = contextlib.closing(sqlite3.connect(root / journal.FILE))
    with found as journal_file:
        rows = journal_file.execute("SELECT student, outcome FROM submission ORDER BY number").fetchall()
    assert [os.fsdecode(name) for name, _ in rows] == list(submitted)  # each once, in the order of arrival
    assert {outcome for _, outcome in rows} <= {"graded", "graded before, unchanged"}


def test_a_damaged_journal_is_moved_away_and_nothing_is_graded_again(tmp_path: Path):
    root = watched.released(tmp_path / "course", SETTINGS)
    watched.submit(root, "anna", RIGHT)
    with watched.running(root) as service:
        graded(service, "anna")
    (root / journal.FILE).write_bytes(b"SQLite format 3\0" + bytes(5000))
    with watched.running(root) as service:
        service.wait_said("the journal was damaged")
        service.wait_said("anna: graded before, unchanged")
    assert len(list(root.glob(f"{journal.FILE}.damaged-*"))) == 1


@pytest.mark.parametrize(
    ("settings", "options", "said"),
    [
        ("c.Watch.an_hour = -1", [], "an_hour"),
        ("c.Watch.hours = 1", [], "c.Watch.hours"),
        ('c.Watch.parts = ["part9"]', [], "part9"),
        ("", ["--folder", "nowhere"], "nowhere is not a folder"),
        ('c.Exchange.root = "nowhere"', [], "exchange nowhere doesn't exist"),
    ],
)
def test_what_cannot_be_set_is_told_in_a_line(
    settings: str, options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    root = watched.released(tmp_path / "course", settings)
    capsys.readouterr()
    assert main(["watch", "--course", str(root), *options]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and said in error and error.startswith("watch: ")


def test_a_port_that_is_taken_is_told_in_a_line(
    service: watched.Service, tmp_path: Path, capsys: pytest.CaptureFixture
):
    (port,) = re.findall(r":(\d+)/", service.address)
    root = watched.released(tmp_path / "course")
    capsys.readouterr()
    assert main(["watch", "--course", str(root), "--port", port]) == 1
    assert re.fullmatch(rf"watch: port {port} .* --port\.\n", capsys.readouterr().err)
