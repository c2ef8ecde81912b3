"""Which submissions a folder holds, and what lies there where nobody looks."""

import datetime
import errno
import os
import pwd
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import closed_files
import pytest
from traitlets.config import Config

from attention.course import COURSE
from grading.classroom.service import accounts, arrivals, exchange_arrivals, folder_arrivals, inbound, stillness
from grading.core import errors, messages
from grading.submission import collected, exchange_folder, times

LOOK_AT_OWNER_S = exchange_arrivals.LOOK_AT_OWNER_S


@pytest.fixture(autouse=True)
def time_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a look has no time left for waits for the next one; on a busy machine that would be anything."""
    monkeypatch.setattr(inbound, "READ_S", 600.0)
    monkeypatch.setattr(exchange_arrivals, "LOOK_AT_OWNER_S", 600.0)


def exchange_in(folder: Path, say: Callable[[str], None] = lambda line: None) -> exchange_arrivals.Exchange:
    """nbgrader's exchange in a folder's "exchange", of a course whose id is "course"."""
    config = Config()
    config.Exchange.root, config.CourseDirectory.course_id = str(folder / "exchange"), "course"
    return exchange_arrivals.Exchange(config, COURSE, folder, say)


def inbound_with(folder: Path, names: Iterable[str]) -> Path:
    """Where submissions to that exchange arrive, with empty folders of these names in it."""
    place = folder / "exchange" / "course" / "inbound"
    for name in names:
        (place / name).mkdir(parents=True)
    return place


def owned(monkeypatch: pytest.MonkeyPatch, owner: Callable[[str], int]) -> None:
    """Has each folder be of an account that the system has a name for, by the folder's name."""
    monkeypatch.setattr(exchange_folder, "account", lambda folder: owner(folder.name))
    monkeypatch.setattr(inbound, "account_of", lambda entry: owner(entry.name))
    monkeypatch.setattr(exchange_folder, "name_of", lambda number: f"account {number}")


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Looks until nothing changes any more: what was refused, by name, and who would be graded."""
    monkeypatch.setattr(folder_arrivals, "STILL_S", 0)
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)
    folder = folder_arrivals.Folder(tmp_path / "lms", Config(), COURSE, tmp_path)
    known: set[arrivals.Key] = set()

    def look() -> tuple[dict[str, str], list[str]]:
        found = [arrival for _ in range(3) for arrival in folder.look(known) if not known.add(arrival.key)]
        return {a.name: a.refused for a in found if a.refused}, [a.student for a in found if not a.refused]

    return look


def test_notebooks_outside_their_folder_are_told_once_and_graded_where_they_belong(look, tmp_path: Path):
    ada, ben, cleo = (tmp_path / "lms" / name for name in ("ada", "ben", "cleo"))
    for place in (ada, ben / COURSE.name):
        place.mkdir(parents=True)
        (place / "part01.ipynb").write_text("{}")
    (cleo / "another-course").mkdir(parents=True)
    refused, graded = look()
    assert list(refused) == ["ada"] and graded == ["ben"]
    assert f"Expected the notebooks in {ada / COURSE.name}, found them in {ada}. Move them" in refused["ada"]
    assert look() == ({}, [])
    (ada / COURSE.name).mkdir()
    (ada / "part01.ipynb").rename(ada / COURSE.name / "part01.ipynb")
    assert look() == ({}, ["ada"])


def test_a_name_that_is_none_is_refused_with_the_folder_that_it_was_found_in(look, tmp_path: Path):
    (tmp_path / "lms" / "a$b" / COURSE.name).mkdir(parents=True)
    refused, graded = look()
    assert graded == [] and refused["a$b"].startswith(f"The name of this folder in {tmp_path / 'lms'} has $ in it.")
    for way in ("misplaced", COURSE.name):
        (tmp_path / "lms" / "c\udcff" / way).mkdir(parents=True)
        (tmp_path / "lms" / "c\udcff" / "part01.ipynb").touch()
        (why,) = look()[0].values()
        assert why == f"The name of this folder in {tmp_path / 'lms'} is not UTF-8 text. {messages.NAME_RULE}"


def test_a_closed_folder_is_told_once_keeps_nobody_waiting_and_is_graded_once_it_is_open(look, tmp_path: Path):
    for name in ("ada", "ben"):
        (tmp_path / "lms" / name / COURSE.name).mkdir(parents=True)
        (tmp_path / "lms" / name / COURSE.name / "part01.ipynb").write_text("{}")
    (tmp_path / "lms" / "ada").chmod(0)
    try:
        with closed_files.obeyed():
            refused, graded = look()
            again = look()
    finally:
        (tmp_path / "lms" / "ada").chmod(0o755)
    assert graded == ["ben"] and again == ({}, [])
    place = tmp_path / "lms" / "ada"
    assert refused == {"ada": f"{place} cannot be read: Permission denied. Make it readable for this account."}
    assert look() == ({}, ["ada"])


def test_a_link_is_not_followed_and_that_is_told(look, tmp_path: Path):
    (tmp_path / "elsewhere" / COURSE.name).mkdir(parents=True)
    (tmp_path / "lms" / "ben").mkdir(parents=True)
    (tmp_path / "lms" / "ada").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "lms" / "ben" / COURSE.name).symlink_to(tmp_path / "elsewhere" / COURSE.name)
    (tmp_path / "lms" / "cleo" / COURSE.name).mkdir(parents=True)
    (tmp_path / "lms" / "dora").symlink_to("cleo")  # whose marks would be hers, too
    (tmp_path / "lms" / "another").symlink_to("nowhere")
    refused, graded = look()
    assert set(refused) == {"ada", "ben", "dora"} and graded == ["cleo"]
    assert all("is a link, and no link is followed" in why for why in refused.values())
    assert look() == ({}, [])


def test_a_folder_that_a_link_takes_the_place_of_while_it_waits_is_gone(look, tmp_path: Path):
    ada, elsewhere = tmp_path / "lms" / "ada", tmp_path / "elsewhere"
    (ada / COURSE.name).mkdir(parents=True)
    folder = folder_arrivals.Folder(tmp_path / "lms", Config(), COURSE, tmp_path)
    (arrival,) = [one for _ in range(2) for one in folder.look(set())]
    assert folder.again(*arrival.key) is not None
    ada.rename(elsewhere)
    ada.symlink_to(elsewhere)
    assert folder.again(*arrival.key) is None


@pytest.mark.parametrize("kind", ["exchange", "folder"])
def test_where_the_place_is_away_nobody_says_of_a_submission_that_it_is_gone(kind: str, tmp_path: Path):
    """As on a machine that was started again, before another disk is mounted there."""
    if kind == "exchange":
        place, name = tmp_path / "exchange", f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC"
        submitted = place / "course" / "inbound" / name
        submitted.mkdir(parents=True)
        source, key = exchange_in(tmp_path), (name, "")
    else:
        place, submitted = tmp_path / "lms", tmp_path / "lms" / "ada"
        (submitted / COURSE.name).mkdir(parents=True)
        source = folder_arrivals.Folder(place, Config(), COURSE, tmp_path)
        key = ("ada", stillness.fingerprint(submitted / COURSE.name))
    (submitted.parent / "another").mkdir()
    assert source.again(*key).student == "ada"
    place.rename(tmp_path / "away")
    for is_mounted_elsewhere in (False, True):
        if is_mounted_elsewhere:
            place.mkdir()
        with pytest.raises(errors.CourseError):
            source.again(*key)
    place.rmdir()
    (tmp_path / "away").rename(place)
    assert source.again(*key).student == "ada"
    submitted.rename(tmp_path / "gone")
    assert source.again(*key) is None


def test_a_look_into_the_exchange_takes_no_more_folders_of_an_account_however_many_names_it_writes_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    names = [f"student{n:02}+{COURSE.name}+2026-01-01 00:00:{n:02} UTC" for n in range(60)]
    inbound_with(tmp_path, names)
    exchange, looked_into = exchange_in(tmp_path), []
    owned(monkeypatch, lambda name: 1 if name == names[-1] else 2)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: looked_into.append(folder.name) or "a state")
    assert list(exchange.look({})) == []
    assert looked_into == [*names[: exchange_arrivals.MOST_OF_OWNER], names[-1]]


def test_a_look_into_the_exchange_takes_a_few_folders_of_each_student_and_in_time_all_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ada = [f"ada+{COURSE.name}+1970-01-01 00:00:{n:02} UTC" for n in range(30)]
    ben = f"ben+{COURSE.name}+2026-01-01 00:00:00 UTC"
    inbound = inbound_with(tmp_path, (*ada, ben))
    for n in range(9):
        (inbound / f"ada+{COURSE.name}+1969-01-01 00:00:{n:02} UTC").write_text("no folder takes a turn")
    exchange, looked_into = exchange_in(tmp_path), []
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: looked_into.append(folder.name) or "a state")
    assert list(exchange.look({})) == []
    assert looked_into == [*ada[:4], ben]
    known: dict[arrivals.Key, None] = {}
    found = [a.name for _ in range(30) for a in exchange.look(dict(known)) if not known.update({(a.name, ""): None})]
    assert sorted(found) == [*ada, ben] and [name for name in found if name != ben] == ada


def test_folders_that_are_never_still_keep_an_account_s_others_waiting_for_a_while_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inbound = tmp_path / "exchange" / "course" / "inbound"
    restless = [
        f"student{n:02}+{COURSE.name}+1970-01-01 00:00:{n:02} UTC" for n in range(exchange_arrivals.MOST_OF_OWNER)
    ]
    honest = f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC"
    for name in (*restless, honest):
        (inbound / name).mkdir(parents=True)
    exchange, now_s = exchange_in(tmp_path), 1000.0
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: "as it was" if folder.name == honest else str(now_s))
    found = []
    for _ in range(60):
        now_s += 1
        found += [arrival.name for arrival in exchange.look({})]
    assert found[:1] == [honest] and not set(restless) & set(found)


def test_an_account_that_the_system_has_no_name_for_may_grade_and_submit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def no_name(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_name)
    inbound = tmp_path / "exchange" / "course" / "inbound"
    (inbound / f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC").mkdir(parents=True)
    exchange = exchange_in(tmp_path)
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)
    (arrival,) = [arrival for _ in range(3) for arrival in exchange.look({})][:1]
    assert arrival.student == "ada" and arrival.refused == "" and "the grader's own" in arrival.noticed
    monkeypatch.setattr(exchange_arrivals.os, "geteuid", lambda: os.getuid() + 1)
    assert [arrival for _ in range(3) for arrival in exchange.look({})] == []
    monkeypatch.setattr(accounts, "PATIENCE_S", 0)
    (arrival,) = [arrival for _ in range(3) for arrival in exchange.look({})][:1]
    assert "belongs to the account that has no name here, not to the student" in arrival.refused


def test_while_names_can_t_be_looked_up_nobody_is_refused_for_it_and_all_wait_whose_name_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folders = {name: f"{name}+{COURSE.name}+2026-01-01 00:00:00 UTC" for name in ("ada", "ben")}
    (tmp_path / "exchange" / "course" / "inbound" / folders["ada"]).mkdir(parents=True)
    exchange, system = exchange_in(tmp_path), {1: "ada", 2: "ben"}
    owned(monkeypatch, lambda name: 1 if name == folders["ada"] else 2)
    monkeypatch.setattr(exchange_folder, "name_of", lambda number: system.get(number))
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)

    def look() -> list[tuple[str, str]]:
        return [(arrival.student, arrival.refused) for _ in range(2) for arrival in exchange.look({})]

    assert look() == [("ada", "")]
    away, system = system, {}
    (tmp_path / "exchange" / "course" / "inbound" / folders["ben"]).mkdir()
    assert look() == [("ada", ""), ("ada", "")]
    assert exchange.take(exchange.again(folders["ada"], "")) == []
    with pytest.raises(OSError, match="no name for the account 2 now"):
        exchange.take(exchange.again(folders["ben"], ""))
    system = away
    assert ("ben", "") in look()
    assert exchange.take(exchange.again(folders["ben"], "")) == []


def test_a_link_that_takes_a_folder_s_place_for_a_moment_lends_it_nobody_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name, inbound = f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC", tmp_path / "exchange" / "course" / "inbound"
    inbound.mkdir(parents=True)
    of_ada, mallory = Path("/"), os.getuid()
    if mallory == 0:
        of_ada = tmp_path / "of-ada"
        of_ada.mkdir()
        os.chown(of_ada, 12345, -1)
    (inbound / name).symlink_to(of_ada)
    accounts = {of_ada.stat().st_uid: "ada", mallory: "mallory"}
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: pwd.struct_passwd((accounts[uid], "x", uid, uid, "", "", "")))
    exchange = exchange_in(tmp_path)
    monkeypatch.setattr(exchange_arrivals.os, "geteuid", lambda: mallory + 1)
    assert "belongs to the account mallory, not to the student" in exchange._arrival(name).refused


def test_what_is_refused_by_now_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC"
    (tmp_path / "exchange" / "course" / "inbound" / name).mkdir(parents=True)
    exchange = exchange_in(tmp_path)
    monkeypatch.setattr(exchange_arrivals.os, "geteuid", lambda: os.getuid() + 1)
    now = exchange.again(name, "")
    with pytest.raises(arrivals.Refused, match="belongs to the account"):
        exchange.take(now)
    assert not (tmp_path / "submitted").exists()


def test_what_is_changed_between_the_last_look_and_the_copy_was_submitted_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    claimed = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    name = f"ada+{COURSE.name}+{claimed:%Y-%m-%d %H:%M:%S.%f} UTC"
    folder = tmp_path / "exchange" / "course" / "inbound" / name
    folder.mkdir(parents=True)
    exchange = exchange_in(tmp_path)
    now = exchange.again(name, "")
    assert now.made == claimed
    monkeypatch.setattr(times, "SLACK_S", 0.05)
    time.sleep(0.1)
    (folder / "part01.ipynb").write_text("{ }")
    exchange.take(now)
    assert (tmp_path / "submitted" / "ada" / COURSE.name / "part01.ipynb").read_text() == "{ }"
    assert (times.of(tmp_path, "ada") - claimed).total_seconds() > times.SLACK_S


def test_nothing_arrives_in_a_folder_that_somebody_else_put_in_the_place_of_the_course_s(tmp_path: Path):
    if os.geteuid() != 0:
        pytest.skip("only root may give a folder to another account")
    course = tmp_path / "exchange" / "course"
    (course / "inbound" / f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC").mkdir(parents=True)
    exchange = exchange_in(tmp_path)
    assert not [*exchange.look({})]
    for theirs in (course / "inbound", course):
        os.chown(theirs, 12345, -1)
        with pytest.raises(errors.CourseError, match=f"{theirs} belongs to the account that has no name here"):
            [*exchange.look({})]
        os.chown(theirs, 0, -1)
    course.rename(tmp_path / "elsewhere")
    course.symlink_to(tmp_path / "elsewhere")  # which whoever looks after the exchange may do, and a student may not
    assert not [*exchange.look({})]
    os.lchown(course, 12345, -1)
    with pytest.raises(errors.CourseError, match="belongs to"):
        [*exchange.look({})]


@pytest.mark.parametrize("fails", ["it is changed", "its time can't be noted"])
def test_what_can_t_be_taken_once_it_is_copied_leaves_the_former_submission_and_its_time(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inbound, exchange, taken = tmp_path / "exchange" / "course" / "inbound", None, []
    for content in ("on time", "late"):
        claimed = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
        name = f"ada+{COURSE.name}+{claimed:%Y-%m-%d %H:%M:%S.%f} UTC"
        (inbound / name).mkdir(parents=True)
        (inbound / name / "part01.ipynb").write_text(content)
        exchange = exchange or exchange_in(tmp_path)
        taken.append(exchange.again(name, ""))
    exchange.take(taken[0])
    copy_whole, noted = collected.copy, times.of(tmp_path, "ada")

    def copy_and_change(source: Path, *rest: object) -> None:
        copy_whole(source, *rest)
        (source / "part02.ipynb").write_text("written meanwhile")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if fails == "its time can't be noted":
        monkeypatch.setattr(times, "note", full)
    else:
        monkeypatch.setattr(collected, "copy", copy_and_change)
    with pytest.raises((arrivals.Unsettled, OSError)):
        exchange.take(taken[1])
    assert (tmp_path / "submitted" / "ada" / COURSE.name / "part01.ipynb").read_text() == "on time"
    assert times.of(tmp_path, "ada") == noted


def test_folders_that_another_account_writes_in_a_student_s_name_keep_the_student_s_own_waiting_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inbound = tmp_path / "exchange" / "course" / "inbound"
    own, others = f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC", []
    (inbound / own).mkdir(parents=True)
    exchange, now_s, found = exchange_in(tmp_path), 1000.0, []
    owned(monkeypatch, lambda name: 1 if name == own else 2)
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: "as it was" if folder.name == own else str(now_s))
    for second in range(120):
        if second % 20 == 0:  # before those of the last time make room
            others += [f"ada+{COURSE.name}+1970-01-01 00:{second // 20:02}:{n:02} UTC" for n in range(4)]
            for name in others[-4:]:
                (inbound / name).mkdir()
        now_s += 1
        found += [(arrival.name, second) for arrival in exchange.look({})]
    assert found[:1] == [(own, int(stillness.OTHERWISE_S))] and not set(others) & {name for name, _ in found}


def test_a_look_takes_no_longer_for_folders_of_one_account_that_hold_thousands_of_files_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    large = [f"student{n:02}+{COURSE.name}+1970-01-01 00:00:{n:02} UTC" for n in range(30)]
    honest = f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC"
    inbound_with(tmp_path, (*large, honest))
    exchange, now_s = exchange_in(tmp_path), 1000.0

    def state(folder: Path) -> str:
        nonlocal now_s
        now_s += 0.06 if folder.name in large else 0.001  # what 5,000 files take
        return str(now_s)

    owned(monkeypatch, lambda name: 1 if name == honest else 2)
    monkeypatch.setattr(exchange_arrivals, "LOOK_AT_OWNER_S", LOOK_AT_OWNER_S)
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    monkeypatch.setattr(stillness, "fingerprint", state)
    assert list(exchange.look({})) == []
    assert now_s - 1000.0 < 2 * LOOK_AT_OWNER_S
    assert exchange._still._seen.keys() > {honest, large[0]}


def test_a_look_asks_nothing_about_names_that_are_no_folders_and_once_whose_each_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place = tmp_path / "exchange" / "course" / "inbound"
    folders = [f"ada+{COURSE.name}+2026-01-01 00:00:{n:02} UTC" for n in range(exchange_arrivals.MOST_OF_ONE + 9)]
    for name in folders:
        (place / name).mkdir(parents=True)
    for n in range(100):
        (place / f"ada+{COURSE.name}+1970-01-01 00:00:00 UTC+{n}").symlink_to("nowhere")
    exchange, asked, lstat, account_of = exchange_in(tmp_path), [], os.lstat, inbound.account_of
    monkeypatch.setattr(os, "lstat", lambda path, **more: asked.append(Path(path).name) or lstat(path, **more))
    monkeypatch.setattr(inbound, "account_of", lambda entry: asked.append(entry.name) or account_of(entry))
    for look in (1, 2):
        assert list(exchange.look({})) == []
        few = folders[: exchange_arrivals.MOST_OF_ONE]
        assert {name for name in asked if name.startswith("ada")} == set(folders if look == 1 else few)
        asked.clear()


def test_who_floods_the_exchange_is_named_once_and_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place, honest = tmp_path / "exchange" / "course" / "inbound", f"ada+{COURSE.name}+2026-01-01 00:00:00 UTC"
    place.mkdir(parents=True)
    monkeypatch.setattr(inbound, "MANY", 30)
    monkeypatch.setattr(inbound, "KEPT", 5)
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)
    owned(monkeypatch, lambda name: 1 if name == honest else 2)
    for number in range(31):
        (place / f"ada+{COURSE.name}+1970-01-01 00:00:{number:02} UTC").mkdir()
    (place / honest).mkdir()
    exchange, known = exchange_in(tmp_path, (said := []).append), {}
    found = [each.name for _ in range(20) for each in exchange.look(dict(known)) if not known.update({each.key: None})]
    assert honest in found[: 2 * exchange_arrivals.MOST_OF_ONE] and len(found) == 32
    assert said == [
        f"31 folders of the account account 2 wait in {place}, and the submissions of others are found later because "
        "of them. Remove what isn't a submission."
    ]


def test_of_an_account_that_submits_without_end_some_arrive_in_an_hour_and_the_others_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mallory = [f"student{n:02}+{COURSE.name}+2026-01-01 00:00:{n:02} UTC" for n in range(10)]
    honest = f"ada+{COURSE.name}+2026-01-02 00:00:00 UTC"
    inbound_with(tmp_path, (*mallory, honest))
    exchange, now_s, known = exchange_in(tmp_path), 1000.0, {}

    def arrived() -> list[str]:
        nonlocal now_s
        found = []
        for _ in range(40):
            now_s += 1
            found += [each.name for each in exchange.look(dict(known)) if not known.update({each.key: None})]
        return found

    owned(monkeypatch, lambda name: -1 if name in mallory else -2)
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: "as it was")
    monkeypatch.setattr(exchange_arrivals, "MOST_OF_OWNER", 2)
    monkeypatch.setattr(exchange_arrivals, "IN_AN_HOUR", 4)
    assert arrived() == [*mallory[:2], honest, *mallory[2:4]] and arrived() == []
    now_s += exchange_arrivals.HOUR_S
    assert arrived() == mallory[4:8]
    exchange._check_owner = False  # then the account may be a whole class's
    assert arrived() == mallory[8:]


def test_what_can_t_be_noted_for_a_while_counts_once_among_an_account_s_folders_of_the_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    names = [f"ada+{COURSE.name}+2026-01-01 00:00:{n:02} UTC" for n in range(3)]
    inbound_with(tmp_path, names)
    exchange = exchange_in(tmp_path)
    owned(monkeypatch, lambda name: -1)
    monkeypatch.setattr(stillness, "OTHERWISE_S", 0)
    monkeypatch.setattr(exchange_arrivals, "IN_AN_HOUR", 4)
    assert list(exchange.look({})) == []
    for _ in range(9):  # the journal's disk is full, so that none is known at the next look
        assert [arrival.name for arrival in exchange.look({})] == names


def test_an_older_submission_waits_for_the_newer_ones_of_its_account_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As where the journal is lost, and all arrive once more, a few at each look."""
    names = [f"ada+{COURSE.name}+2026-01-01 00:00:{n:02} UTC" for n in range(10)]
    foreign, restless = (f"ada+{COURSE.name}+{year}-01-01 00:00:00 UTC" for year in (2027, 2028))
    inbound_with(tmp_path, (*names, foreign, restless))
    exchange, now_s, known = exchange_in(tmp_path), 1000.0, {}
    owned(monkeypatch, lambda name: -2 if name == foreign else -1)
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    monkeypatch.setattr(stillness, "fingerprint", lambda folder: str(now_s) if folder.name == restless else "as it was")
    held = []
    for _ in range(60):
        now_s += 1
        known |= {arrival.key: None for arrival in exchange.look(dict(known))}
        assert not exchange.newer_waits(foreign)
        held.append([exchange.newer_waits(name) for name, _ in known if name in names])
    assert all(all(each) for each in held if 0 < len(each) < 10) and {4, 8} < {*map(len, held)}
    assert not any(held[-1]) and len(held[-1]) == 10  # for one that keeps changing nobody waits long


def test_no_submission_waits_for_a_newer_one_that_never_arrives_or_not_for_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    names = [f"{student}+{COURSE.name}+2026-01-01 00:00:00 UTC" for student in ("ada", "bob")]
    inbound = inbound_with(tmp_path, names)
    (inbound / names[0].replace("2026", "2027")).write_text("a file in a folder's place")
    (inbound / names[1].replace("2026", "2027")).symlink_to(inbound / names[0])
    exchange, now_s = exchange_in(tmp_path), 1000.0
    owned(monkeypatch, lambda name: -1)
    monkeypatch.setattr(stillness.time, "monotonic", lambda: now_s)
    known = {}
    for _ in range(10):
        now_s += 1
        known |= {arrival.key: None for arrival in exchange.look(dict(known))}
    assert [name for name, _ in known] == names and not any(map(exchange.newer_waits, names))
    later = inbound / names[0].replace("2026", "2028")
    later.mkdir()
    list(exchange.look(known))
    assert exchange.newer_waits(names[0])
    monkeypatch.setattr(exchange, "_with_many", lambda: {-1})
    list(exchange.look(known))
    assert not exchange.newer_waits(names[0])
