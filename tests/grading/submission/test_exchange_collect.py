"""`nbgrader collect` on an exchange that students fill: nobody keeps others from being collected; nothing is lost."""

import contextlib
import errno
import logging
import os
import pwd
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange import ExchangeError, ExchangeFactory
from nbgrader.utils import notebook_hash

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core import limits, messages
from grading.gradebook import course_folder
from grading.submission import exchange_folder, times
from grading.submission.exchange_collect import Collect

# What a student may write in a secret's place; nbgrader's own command ends at the first of these.
REFUSED_SECRETS = {"mallory, bytes": b"\xff", "mallory, empty": b"", "mallory, long": b"m" * 2000}


@pytest.fixture
def inbound(tmp_path: Path) -> Path:
    made = tmp_path / "exchange" / COURSE.name / "inbound"
    made.mkdir(parents=True)
    return made


def submit(inbound: Path, student: str, text: str, minute: int = 0) -> Path:
    folder = inbound / f"{student}+{COURSE.name}+2026-01-02 03:{minute:02}:05 UTC+r"
    folder.mkdir()
    (folder / "part01.ipynb").write_text(text)
    return folder


@pytest.fixture
def collect(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Collects, and reads what lies in submitted/ then, by student."""
    root = tmp_path / "course"
    root.mkdir()
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(tmp_path / "exchange")

    def collect(**options: bool) -> dict[str, str]:
        api = NbGraderAPI(config=config)
        api.coursedir.assignment_id = COURSE.name
        ExchangeFactory(config=config).Collect(coursedir=api.coursedir, parent=api, **options).start()
        found = (root / "submitted").glob(f"*/{COURSE.name}/part01.ipynb")
        assert not [path for path in root.glob("submitted/*/.*") if not path.name.endswith(".taken")]
        return {path.parents[1].name: path.read_text() for path in found}

    return collect


def _link(folder: Path) -> None:
    folder.symlink_to(folder.parent)


def _dangling(folder: Path) -> None:
    folder.symlink_to("nowhere")


def _file(folder: Path) -> None:
    folder.write_text("no folder")


def _many(folder: Path) -> None:
    folder.mkdir()
    for number in range(limits.ENTRIES + 1):
        (folder / f"{number}.txt").touch()


@pytest.mark.parametrize("make", [_link, _dangling, _file, os.mkfifo, _many])
def test_what_can_t_be_collected_keeps_nobody_else_from_it_and_is_told(
    make: Callable, inbound: Path, collect: Callable[..., dict[str, str]], caplog: pytest.LogCaptureFixture
):
    for student in ("ada", "zoe"):
        submit(inbound, student, student)
    make(inbound / f"mallory+{COURSE.name}+2026-01-02 03:04:05 UTC+r")
    with caplog.at_level(logging.ERROR):
        assert collect() == {"ada": "ada", "zoe": "zoe"}
    assert [r.getMessage() for r in caplog.records if "mallory" in r.getMessage() and "not collected" in r.getMessage()]


@pytest.mark.parametrize("options", [{}, {"update": True}])
def test_a_link_in_the_place_of_a_student_s_folder_has_nobody_else_s_submission_replaced(
    options: dict, inbound: Path, collect: Callable[..., dict[str, str]], tmp_path: Path, caplog
):
    """As an archive may have left it in submitted/."""
    submit(inbound, "ada", "ada")
    collect()
    (tmp_path / "course" / "submitted" / "mallory").symlink_to("ada")
    for student in ("mallory", "zoe"):
        submit(inbound, student, student, minute=9)
    with caplog.at_level(logging.ERROR):
        assert collect(**options) == {"ada": "ada", "mallory": "ada", "zoe": "zoe"}  # what the link shows
    (told,) = [r.getMessage() for r in caplog.records if "not collected" in r.getMessage()]
    assert "submitted/mallory is a link, and no link is followed" in told


@pytest.mark.parametrize("number", [errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.ENAMETOOLONG])
def test_a_name_that_the_course_s_disk_can_t_hold_keeps_nobody_else_from_being_collected(
    number: int,
    inbound: Path,
    collect: Callable[..., dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    """As one in other letters where these don't count, or one that isn't UTF-8, on another disk than the exchange's."""
    for student in ("ada", "mallory", "zoe"):
        folder = submit(inbound, student, student)
    (folder.with_name(folder.name.replace("zoe", "mallory")) / "an odd name").touch()
    opened = Path.open

    def on_such_a_disk(path: Path, *given: object, **settings: object) -> object:
        if path.name == "an odd name":
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *given, **settings)

    monkeypatch.setattr(Path, "open", on_such_a_disk)
    with caplog.at_level(logging.ERROR):
        assert collect() == {"ada": "ada", "zoe": "zoe"}
    (told,) = (record.getMessage() for record in caplog.records if "mallory" in record.getMessage())
    assert told.endswith("not collected: the course's disk can't hold a file named an odd name")


def test_a_folder_that_is_gone_when_its_turn_comes_keeps_nobody_else_from_being_collected(
    inbound: Path, collect: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
):
    for student in ("ada", "zoe"):
        submit(inbound, student, student)
    gone = submit(inbound, "mallory", "")
    monkeypatch.setattr(Collect, "init_dest", lambda _: shutil.rmtree(gone))  # which comes after the looking
    assert collect() == {"ada": "ada", "zoe": "zoe"}


def test_a_folder_of_another_account_than_its_name_s_is_told(
    inbound: Path, collect: Callable[..., dict[str, str]], caplog: pytest.LogCaptureFixture
):
    submit(inbound, "ada", "ada")
    with caplog.at_level(logging.WARNING):
        assert collect(check_owner=True) == {"ada": "ada"}
        (line,) = [record.getMessage() for record in caplog.records if "account" in record.getMessage()]
        assert line.startswith(f"ada+{COURSE.name}+") and pwd.getpwuid(os.getuid()).pw_name in line
        caplog.clear()
        assert collect(update=True, check_owner=False) == {"ada": "ada"}
    assert not [record for record in caplog.records if "account" in record.getMessage()]


def test_a_folder_in_the_name_of_a_student_who_has_one_of_their_own_account_is_left_out_and_that_is_told(
    inbound: Path, collect: Callable[..., dict[str, str]], caplog: pytest.LogCaptureFixture, owned: dict[str, str]
):
    for minute, (student, account) in enumerate([("ada", "ada"), ("ada", "mallory"), ("ben", "mallory")]):
        owned[submit(inbound, student, f"by {account}", minute).name] = account
    with caplog.at_level(logging.WARNING):
        assert collect() == {"ada": "by ada", "ben": "by mallory"}
    said = [record.getMessage() for record in caplog.records if "account" in record.getMessage()]
    assert [(line.split("+")[0], "not collected" in line) for line in said] == [("ada", True), ("ben", False)]
    assert "belongs to the account mallory" in said[0] and "belongs to the account mallory" in said[1]


def test_where_the_check_is_off_or_no_account_is_a_student_s_the_newest_folder_is_collected(
    inbound: Path, collect: Callable[..., dict[str, str]], owned: dict[str, str]
):
    for minute, account in enumerate(("first", "second")):
        owned[submit(inbound, "ada", account, minute).name] = account
    assert collect() == {"ada": "second"}
    owned[submit(inbound, "ada", "third", 2).name] = "ada"
    owned[submit(inbound, "ada", "fourth", 3).name] = "fourth"
    assert collect(update=True) == {"ada": "third"}
    assert collect(update=True, check_owner=False) == {"ada": "fourth"}


@pytest.fixture
def owned(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """By the names of folders in the exchange, the account that each is of from now on."""
    accounts: dict[str, str] = {}
    monkeypatch.setattr(exchange_folder, "account", lambda folder: 10**6 + [*accounts].index(Path(folder).name))
    monkeypatch.setattr(exchange_folder, "name_of", lambda number: [*accounts.values()][number - 10**6])
    return accounts


def test_what_takes_the_place_of_the_course_s_folder_after_it_was_looked_at_is_not_collected(
    inbound: Path, collect: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
):
    submitted = submit(inbound, "ada", "hers")

    def swap(_: object) -> None:  # which comes after the looking
        inbound.rename(inbound.with_name("ours"))
        shutil.copytree(inbound.with_name("ours"), inbound)
        (submitted / "part01.ipynb").write_text("mallory's")

    monkeypatch.setattr(Collect, "init_dest", swap)
    assert collect() == {"ada": "hers"}


def test_what_is_no_folder_does_not_stand_for_a_submission(inbound: Path, collect: Callable[..., dict[str, str]]):
    submit(inbound, "ada", "ada")
    time.sleep(0.05)  # so that the file system's times say that the link is newer
    _link(inbound / f"ada+{COURSE.name}+2026-01-02 09:09:09 UTC+r")
    assert collect() == {"ada": "ada"}


def test_an_update_that_fails_leaves_what_was_collected(inbound: Path, collect: Callable[..., dict[str, str]]):
    submit(inbound, "ada", "first")
    assert collect() == {"ada": "first"}
    large = submit(inbound, "ada", "second", minute=1)
    os.truncate(large / "part01.ipynb", 10**9)
    assert collect(update=True) == {"ada": "first"}


def test_a_pipe_in_what_was_submitted_before_keeps_nobody_from_an_update(
    tmp_path: Path, inbound: Path, collect: Callable[..., dict[str, str]]
):
    for student in ("ada", "zoe"):
        submit(inbound, student, "first")
    collect()
    os.mkfifo(tmp_path / "course" / "submitted" / "ada" / COURSE.name / "pipe")  # as an archive may bring one
    for student in ("ada", "zoe"):
        submit(inbound, student, "second", minute=1)
    assert collect(update=True) == {"ada": "second", "zoe": "second"}


def test_an_update_keeps_a_copy_of_what_an_instructor_changed_and_of_nothing_else(
    tmp_path: Path, inbound: Path, collect: Callable[..., dict[str, str]]
):
    for student in ("ada", "ben"):
        submit(inbound, student, "first")
    collect()
    (tmp_path / "course" / "submitted" / "ada" / COURSE.name / "part01.ipynb").write_text("corrected")
    for student in ("ada", "ben"):
        submit(inbound, student, "second", minute=1)
    assert collect(update=True) == {"ada": "second", "ben": "second"}
    kept = (tmp_path / "course" / "work" / "earlier").rglob("*.ipynb")
    assert {path.parent.name: path.read_text() for path in kept} == {"ada": "corrected"}


def killed(place: Path, monkeypatch: pytest.MonkeyPatch, collect: Callable[..., dict[str, str]]) -> None:
    """Has an update end where nbgrader has removed some of a former copy, as if the power had been cut."""
    remove = shutil.rmtree

    class Cut(BaseException):
        pass

    def cut(path: object, *arguments: object, **named: object) -> None:
        if Path(path) == place:
            (place / "part01.ipynb").unlink()
            patched.setattr(shutil, "rmtree", lambda *_, **__: None)  # nothing is tidied up any more
            patched.setattr(Path, "rename", lambda *_: None)
            raise Cut
        remove(path, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", cut)
        with pytest.raises(Cut):
            collect(update=True)


def test_the_time_that_an_instructor_gave_a_student_stays_when_all_are_collected_again(
    inbound: Path, collect: Callable[..., dict[str, str]], tmp_path: Path
):
    ill = "2026-01-01 00:00:00.000000 UTC"
    submit(inbound, "ada", "first")
    collect()
    (tmp_path / "course" / times.FILE).write_text(f"student,time\nada,{ill}\n", encoding="utf-8")
    submit(inbound, "ben", "his")
    assert collect(update=True) == {"ada": "first", "ben": "his"}
    assert times.text(tmp_path / "course", "ada") == ill and times.text(tmp_path / "course", "ben") != ill
    time.sleep(0.01)
    submit(inbound, "ada", "second", minute=1)
    assert collect(update=True)["ada"] == "second"
    assert times.text(tmp_path / "course", "ada") > ill


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("wholly", [False, True])
def test_what_a_collect_that_was_killed_had_removed_is_there_after_the_next(
    wholly: bool,
    update: bool,
    tmp_path: Path,
    inbound: Path,
    collect: Callable[..., dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
):
    (submit(inbound, "ada", "first") / "data.csv").write_text("1,2")
    collect()
    newer, place = submit(inbound, "ada", "second", minute=1), tmp_path / "course" / "submitted" / "ada" / COURSE.name
    killed(place, monkeypatch, collect)
    assert os.listdir(place) == ["data.csv"]
    if wholly:
        shutil.rmtree(place)
    os.truncate(newer / "part01.ipynb", 10**9)  # so that it can't be taken instead
    assert collect(update=update) == {"ada": "first"} and (place / "data.csv").read_text() == "1,2"


def test_a_former_copy_that_a_newer_one_had_replaced_does_not_come_back(
    tmp_path: Path, inbound: Path, collect: Callable[..., dict[str, str]]
):
    submit(inbound, "ada", "second")
    collect()
    former = tmp_path / "course" / "submitted" / "ada" / f".{COURSE.name}.old"
    former.mkdir()
    (former / "part01.ipynb").write_text("first")  # as where a collect is killed before it removes this
    assert collect() == {"ada": "second"}


def test_only_a_collect_that_may_remove_former_copies_copies_them(
    inbound: Path, collect: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
):
    copied, copy = [], shutil.copytree
    monkeypatch.setattr(shutil, "copytree", lambda *paths, **named: copied.append(paths) or copy(*paths, **named))
    submit(inbound, "ada", "first")
    collect()
    assert collect() == {"ada": "first"} and not copied
    assert collect(update=True) == {"ada": "first"} and len(copied) == 1
    assert collect(before_duedate=True) == {"ada": "first"} and len(copied) == 2


@pytest.mark.parametrize("command", ["Collect", "ReleaseFeedback"])
def test_no_command_reads_or_writes_in_a_folder_that_somebody_else_put_in_the_place_of_the_course_s(
    command: str, inbound: Path, tmp_path: Path
):
    if os.geteuid() != 0:
        pytest.skip("only root may give a folder to another account")
    root = tmp_path / "course"
    root.mkdir()
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(tmp_path / "exchange")
    submit(inbound, "ada", "hers")
    os.chown(inbound.parent, 12345, -1)
    api = NbGraderAPI(config=config)
    api.coursedir.assignment_id = COURSE.name
    with pytest.raises(ExchangeError, match=f"{inbound.parent} belongs to the account that has no name here"):
        getattr(ExchangeFactory(config=config), command)(coursedir=api.coursedir, parent=api).start()
    assert not (root / "submitted").exists()


def test_feedback_is_released_to_all_who_submitted_through_the_exchange_whoever_did_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    root = tmp_path / "course"
    root.mkdir()
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(tmp_path / "exchange")
    (tmp_path / "exchange").mkdir(mode=0o777)
    secrets = {"anna": "a", "by hand": None, "Lovelace, Ada [2]": "l", **REFUSED_SECRETS, "zoë": "z"}
    for student, secret in secrets.items():
        folder = root / "feedback" / student / COURSE.name
        folder.mkdir(parents=True)
        (folder / "part01.html").write_text(f"for {student}")
        if secret is not None:
            content = secret if isinstance(secret, bytes) else secret.encode()
            (folder / "submission_secret.txt").write_bytes(content)
            (folder / "timestamp.txt").touch()
    api = NbGraderAPI(config=config)
    api.coursedir.assignment_id = COURSE.name
    with caplog.at_level(logging.WARNING):
        ExchangeFactory(config=config).ReleaseFeedback(coursedir=api.coursedir, parent=api).start()
    released = {
        path.name: path.read_text() for path in (tmp_path / "exchange" / COURSE.name / "feedback").glob("*.html")
    }
    assert released == {
        f"{notebook_hash(secret=secret, notebook_id='part01')}.html": f"for {student}"
        for student, secret in {"anna": "a", "Lovelace, Ada [2]": "l", "zoë": "z"}.items()
    }
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == [
        f"{root}/feedback/{student}/{COURSE.name}: {messages.NOT_FROM_EXCHANGE}"
        for student in sorted(["by hand", *REFUSED_SECRETS])
    ]


def test_feedback_goes_into_the_folder_that_was_looked_at_whatever_takes_its_place_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root, feedback = tmp_path / "course", tmp_path / "exchange" / COURSE.name / "feedback"
    folder = root / "feedback" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    (tmp_path / "exchange").mkdir(mode=0o777)
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(tmp_path / "exchange")
    for name in ("part01.html", "submission_secret.txt", "timestamp.txt"):
        (folder / name).write_text("a")
    opened_within = exchange_folder.opened_within

    @contextlib.contextmanager
    def opened(*arguments: object) -> Iterator[int]:
        with opened_within(*arguments) as found:
            feedback.rename(tmp_path / "ours")
            feedback.mkdir()
            yield found

    monkeypatch.setattr(exchange_folder, "opened_within", opened)
    api = NbGraderAPI(config=config)
    api.coursedir.assignment_id = COURSE.name
    ExchangeFactory(config=config).ReleaseFeedback(coursedir=api.coursedir, parent=api).start()
    assert [path.read_text() for path in (tmp_path / "ours").iterdir()] == ["a"] and not any(feedback.iterdir())
