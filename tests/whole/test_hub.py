"""The course on a real JupyterHub, as docs/jupyterhub.md says: a teacher, two students, and nbgrader's exchange.

Release, fetch, submit (Anna late, Ben twice), collect, autograde, feedback out and home again. The teacher works in the
Formgrader, in a real browser; the students' steps are those behind the buttons of nbgrader's Assignment List, on
their own servers, through the hub. It goes once; the tests say what must have come of it.
"""

import datetime
import json
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import browser
import busy
import hub
import lab_pages
import pytest
from playwright.sync_api import expect
from traitlets.config.loader import PyFileConfigLoader

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.gradebook import course_folder

ANSWERS = REPOSITORY / "tests" / "answers" / "part03"
RIGHT = (ANSWERS / "10-matrix-times-vector.py").read_text()
WRONG = (ANSWERS / "06-forgot-the-root.py").read_text()
LATE = ["part01", "part02", "part03"]  # what Anna submits


@dataclass
class Term:
    """What became of the course: the users, the teacher's course folder, and what was seen on the way."""

    users: dict[str, hub.Person]
    root: Path
    exchange: Path
    seen: dict[str, object] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Term]:
    """The whole way, from the release to the feedback; the hub still runs."""
    home, exchange = tmp_path_factory.mktemp("hub"), tmp_path_factory.mktemp("exchange")
    exchange.chmod(0o1777)
    root = home / "teacher" / "attention"
    for name in ("source", "attention", "grading"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    with hub.running(home, exchange, ["teacher", "anna", "ben"]) as users, browser.opened() as opened:
        term, watching = Term(users, root, exchange), hub.watching(home)
        watching.suspend()  # the teacher grades by hand first
        page = opened.page()
        _log_in(page, users["teacher"])
        page.goto(f"{users['teacher'].address}/user/teacher/formgrader")
        for button in ("assign", "release"):
            lab_pages.press(page, COURSE.name, button)
        browser.photograph(page, "hub-1-teacher-releases")
        _submit(term)
        _collect_and_grade(term, page)
        for name in ("anna", "ben"):
            term.seen[f"{name} has feedback"] = users[name].listed("fetch_feedback")
        watching.resume()
        _submit_in_the_browser(term, opened)
        term.foreign = opened.foreign
        yield term


def _log_in(page: browser.Page, user: hub.Person) -> None:
    page.goto(f"{user.address}/hub/login")
    page.locator("#username_input").fill(user.name)
    page.locator("#password_input").fill("any")
    page.locator("#login_submit").click()
    page.wait_for_url("**/user/**")


def _submit(term: Term) -> None:
    """Both students fetch; Ben submits twice, the teacher sets the date when it is due, Anna submits late, and less."""
    anna, ben, teacher = (term.users[name] for name in ("anna", "ben", "teacher"))
    term.seen["anna sees"] = anna.listed()
    for student in (anna, ben):
        term.seen[f"{student.name} fetched"] = student.listed("fetch")
    term.seen["released"] = {part.stem: anna.notebook(part.stem) for part in course.PARTS.values()}
    for answer in (WRONG, RIGHT):
        ben.write("part03", answer)
        submitted = ben.listed("submit")
    last = max(each["timestamp"] for one in submitted if one["status"] == "submitted" for each in one["submissions"])
    due = datetime.datetime.fromisoformat(last.removesuffix(" UTC")) + datetime.timedelta(microseconds=1)
    date = {"duedate_notimezone": due.isoformat(), "duedate_timezone": "+0000"}
    teacher.ask("PUT", f"formgrader/api/assignment/{COURSE.name}", **date).raise_for_status()
    anna.write("part03", WRONG)
    for part in course.PARTS.values():
        if part.stem not in LATE:
            anna.ask("DELETE", f"api/contents/{COURSE.name}/{part.stem}.ipynb").raise_for_status()
    term.seen["anna submitted"] = anna.listed("submit")


def _collect_and_grade(term: Term, page: browser.Page) -> None:
    """The teacher's buttons, from Collect to Release Feedback."""
    page.reload()
    lab_pages.press(page, COURSE.name, "collect")
    page.locator(".num-submissions a").click()
    for name in ("anna", "ben"):
        term.seen[f"autograde {name}"] = lab_pages.press(page, name, "autograde")
        term.seen[f"row of {name}"] = lab_pages.row(page, name).filter(has_text="/ 100").inner_text()
    browser.photograph(page, "hub-2-teacher-grades")
    lab_pages.follow(page, "Manage Assignments")
    for button in ("generate-feedback", "release-feedback"):
        lab_pages.press(page, COURSE.name, button)


def _submit_in_the_browser(term: Term, opened: browser.Browser) -> None:
    """Anna presses Submit in JupyterLab's Assignment List, and then Fetch Feedback until it is there."""
    opened.context.clear_cookies()
    anna, page = term.users["anna"], opened.page()
    _log_in(page, anna)
    page.goto(f"{anna.address}/user/anna/lab")
    panel = lab_pages.open_assignments(page)
    submitted = panel.locator("#submitted_assignments_list")
    expect(submitted.locator(".nested_list_item")).to_have_count(1)
    began = time.monotonic()
    panel.locator("#fetched_assignments_list button", has_text="Submit").click()
    expect(submitted.locator(".nested_list_item")).to_have_count(2)
    while "of 10 points" not in (shown := _newest_feedback(anna)):
        assert time.monotonic() - began < busy.patience(60), "no feedback"
        submitted.locator("button", has_text="Fetch Feedback").click()
        page.wait_for_timeout(300)
    term.seen["from submit to feedback"] = time.monotonic() - began
    term.seen["feedback in the browser"] = shown
    browser.photograph(page, "hub-3-student-submits")
    page.goto(f"{anna.address}/services/watch/")
    expect(page.get_by_role("row", name="anna")).to_have_count(2)
    with page.expect_navigation():  # it reloads itself
        pass
    term.seen["the queue"] = page.locator("body").inner_text()
    browser.photograph(page, "hub-4-student-queue")


def _newest_feedback(person: hub.Person) -> str:
    """The page of part 3 that was fetched for the newest submission; empty if there is none yet."""
    (one,) = [one for one in person.listed() if one["status"] == "submitted"]
    (path,) = [n["local_feedback_path"] for n in one["submissions"][-1]["notebooks"] if n["notebook_id"] == "part03"]
    return person.ask("GET", f"files/{path}").text if path else ""


def test_students_see_what_was_released_and_fetch_it_byte_by_byte(term: Term):
    assert [(one["assignment_id"], one["status"]) for one in term.seen["anna sees"]] == [("attention", "released")]
    for name in ("anna", "ben"):
        assert [one["status"] for one in term.seen[f"{name} fetched"]] == ["fetched"]
    for part in course.PARTS.values():
        committed = REPOSITORY / "release" / COURSE.name / f"{part.stem}.ipynb"
        given = [(cell["id"], cell["source"]) for cell in term.seen["released"][part.stem]["cells"]]
        assert given == [(cell["id"], "".join(cell["source"])) for cell in json.loads(committed.read_text())["cells"]]
        assert (term.exchange / "attention" / "outbound" / "attention" / committed.name).read_bytes() == (
            committed.read_bytes()
        )


def test_who_submits_twice_is_graded_by_the_second(term: Term):
    assert len(list((term.exchange / "attention" / "inbound").glob("ben+attention+*"))) == 2
    with course_folder.gradebook(term.root) as book:
        assert book.find_submission_notebook("part03", COURSE.name, "ben").score == 10
        assert book.find_submission_notebook("part03", COURSE.name, "anna").score == 6


def test_who_submits_late_is_known_to_be_late(term: Term):
    with course_folder.gradebook(term.root) as book:
        late = {name: book.find_submission(COURSE.name, name).total_seconds_late for name in ("anna", "ben")}
    assert late["anna"] > 0 and late["ben"] == 0


def test_the_judge_marks_on_the_hub_too(term: Term):
    for name, points in (("anna", 6), ("ben", 10)):
        assert f"Successfully autograded 'attention' for student '{name}'" in term.seen[f"autograde {name}"]
        assert f"{points} / 100" in term.seen[f"row of {name}"]
        graded = json.loads((term.root / "autograded" / name / COURSE.name / "part03.ipynb").read_text())
        test = next(cell for cell in graded["cells"] if cell["id"] == "part03-test")
        assert f"Part 3 · attention_logits: {points} of 10 points" in json.dumps(test["outputs"], ensure_ascii=False)
        assert test["execution_count"] is None  # run by the judge, not by a kernel


def test_feedback_comes_home_to_whom_it_is_for(term: Term):
    every = [part.stem for part in course.PARTS.values()]
    for name, points, submitted in (("anna", "6 of 10 points", LATE), ("ben", "10 of 10 points", every)):
        person = term.users[name]
        submissions = [one for one in term.seen[f"{name} has feedback"] if one["status"] == "submitted"]
        newest = submissions[0]["submissions"][-1]
        assert newest["has_local_feedback"] and not newest["feedback_updated"]
        pages = {notebook["notebook_id"]: notebook["local_feedback_path"] for notebook in newest["notebooks"]}
        assert sorted(pages) == sorted([*submitted, *COURSE.others])
        nothing = person.ask("GET", f"files/{pages['start']}").text
        assert "start.ipynb" in nothing and "holds nothing to grade" in nothing
        page = person.ask("GET", f"files/{pages['part03']}")
        read = re.sub(r"(?:<[^>]*>|\s)+", " ", page.text)
        assert page.ok and re.search(rf"\b{points}\b", read)
        assert "BEGIN HIDDEN TESTS" not in page.text


def test_each_user_has_a_server_of_their_own_and_only_the_teacher_the_formgrader(term: Term):
    teacher, anna, ben = (term.users[name] for name in ("teacher", "anna", "ben"))
    assert ben.ask("GET", "/user/anna/api/contents").status_code == 403
    assert ben.ask("GET", "/user/teacher/formgrader/manage_assignments").status_code == 403
    assert teacher.ask("GET", "formgrader/manage_assignments").status_code == 200
    for student in (anna, ben):
        assert student.ask("GET", "formgrader/manage_assignments").status_code == 404
    hidden = {name: _page_config(term.users[name])["disabledExtensions"] for name in ("teacher", "anna")}
    assert "@jupyter/nbgrader:formgrader" in hidden["anna"] and "@jupyter/nbgrader:formgrader" not in hidden["teacher"]
    assert "@jupyter/nbgrader:create-assignment" in hidden["anna"]


def test_the_formgrader_can_be_no_panel_of_jupyterlab_on_a_hub(term: Term):
    page = term.users["teacher"].ask("GET", "formgrader/manage_assignments")
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_jupyterlab_asks_nobody_on_the_hub_about_news(term: Term):
    asked = term.users["anna"].ask("GET", "lab/api/settings/@jupyterlab/apputils-extension:notification")
    assert asked.json()["schema"]["properties"]["fetchNews"]["default"] == "false"


def test_a_home_is_closed_to_others_once_its_user_s_server_has_started(term: Term):
    for name in term.users:
        home = term.root.parent.with_name(name)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700, name


def _page_config(user: hub.Person) -> dict:
    """What a user's JupyterLab page is told."""
    found = re.search(r'<script id="jupyter-config-data"[^>]*>(.*?)</script>', user.ask("GET", "lab").text, re.S)
    return json.loads(found[1])


def test_no_page_of_the_hub_needs_the_network(term: Term):
    assert term.foreign == []


def test_from_submit_to_feedback_in_the_same_browser_it_takes_seconds(term: Term):
    print(f"{term.seen['from submit to feedback']:.1f} s")
    assert term.seen["from submit to feedback"] < busy.patience(10)
    assert "<strong>6</strong> of 10 points" in term.seen["feedback in the browser"]


def test_on_the_hub_a_student_sees_the_own_submissions_in_the_queue_and_nobody_else_s(term: Term):
    shown = term.seen["the queue"]
    assert "Your submissions" in shown and shown.count("graded") >= 1 and "ben" not in shown
    assert "doesn't answer" not in shown


def test_the_document_quotes_what_the_hub_runs_with():
    quoted = re.findall(r"```python\n(.*?)```", (REPOSITORY / "docs" / "jupyterhub.md").read_text(), re.S)
    files = [file.read_text() for file in (REPOSITORY / "docs" / "jupyterhub").rglob("*.py")]
    assert len(quoted) == 4
    for quote in quoted:
        assert any(quote in text for text in files), quote


def test_the_teachers_secret_is_what_their_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ATTENTION_COURSE_SECRET", "a former one")
    (tmp_path / "attention-secret.txt").write_text("nine grey geese\n")
    folder = REPOSITORY / "docs" / "jupyterhub" / "instructors"
    found = PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()
    assert found.CourseDirectory.root == str(tmp_path / "attention")
    assert os.environ["ATTENTION_COURSE_SECRET"] == "nine grey geese"


def test_a_terminal_is_no_login_shell_which_would_lose_the_path_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tmp_path.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/zsh")
    folder = REPOSITORY / "docs" / "jupyterhub" / "everybody"
    found = PyFileConfigLoader("jupyter_server_config.py", path=str(folder)).load_config()
    assert found.ServerApp.terminado_settings == {"shell_command": ["/bin/zsh"]}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
