"""Marking written answers in the Formgrader, with the criteria in sight, in a real browser.

A grader goes through one part, student after student, by keys alone; what is ticked is on the student's page. The class
is made without grading: the criteria, the answers and the gradebook are as the engine leaves them.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import browser
import graded_class
import pytest
import servers
from nbgrader.api import SubmittedNotebook
from playwright.sync_api import Page, expect

from attention.course import COURSE, PARTS
from dev.packages import REPOSITORY
from grading.core.course import Part
from grading.gradebook import course_folder, nbgrader_log

NINE = PARTS[9]
CELL = f"{NINE.stem}-reasoning"
SAME = "Stack the identities;\n  that gives $r = G d$."
ANSWERS = {"ada": SAME, "bob": "I don't know.", "eve": " Stack the identities; that gives $r = G d$."}
COMMENT = "Say why no smaller r will do."
PANEL = ".written-marking"


def answered(student: str):
    """Writes a student's answer into the notebook of part 9; no other part is looked at."""

    def change(part: Part, notebook: dict) -> dict:
        if part is NINE:
            graded_class.cell(notebook, "-reasoning")["source"] = ANSWERS[student]
        return notebook

    return change


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded class of three, two of whom wrote the same; nobody has read their answers."""
    root = tmp_path_factory.mktemp("marking") / "course"
    root.mkdir()
    graded_class.entered(root, {student: answered(student) for student in ANSWERS})
    for name in ("source", "release"):
        shutil.copytree(REPOSITORY / name / COURSE.name, root / name / COURSE.name)
    with course_folder.gradebook(root) as book:
        for student in ANSWERS:
            book.find_grade(CELL, NINE.stem, COURSE.name, student).needs_manual_grade = True
        book.db.commit()
    return root


@pytest.fixture(scope="module")
def page(root: Path) -> Iterator[Page]:
    """The Formgrader in a browser of its own."""
    home = root.parent / "home"
    command = [*servers.lab(home), "--course", str(root)]
    with servers.running(command, REPOSITORY, home, wrapped=True) as server:
        address = server.wait(lambda: servers.lab_address(home))
        with browser.opened() as opened:
            page = opened.page()
            page.goto(address.replace("?", "formgrader/?"))
            yield page
            assert opened.foreign == [] and opened.errors == []


@pytest.fixture(scope="module")
def submissions(root: Path) -> dict[str, str]:
    """The ids by which nbgrader knows the notebooks of part 9, by student."""
    with course_folder.gradebook(root) as book:
        return {s: book.find_submission_notebook(NINE.stem, COURSE.name, s).id for s in ANSWERS}


def open_answer(page: Page, submission: str) -> None:
    """Opens a submission's page, and waits until the criteria can be ticked."""
    page.goto(re.sub(r"/formgrader/.*", f"/formgrader/submissions/{submission}/?index=0", page.url))
    page.locator(f"{PANEL}:focus").wait_for()


def press(page: Page, *keys: str) -> None:
    """Presses keys, and waits until nbgrader has saved what they change."""
    for key in keys:
        with (
            page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.ok),
            page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok),
        ):
            page.keyboard.press(key)


def kept(root: Path, student: str) -> tuple[float | None, str | None, bool]:
    """What the gradebook says: points, comment, whether it still waits for a grader."""
    with course_folder.gradebook(root) as book:
        notebook: SubmittedNotebook = book.find_submission_notebook(NINE.stem, COURSE.name, student)
        grade = next(grade for grade in notebook.grades if grade.name == CELL)
        comment = next(comment for comment in notebook.comments if comment.name == CELL)
        return grade.manual_score, comment.manual_comment, grade.needs_manual_grade


def extra_credit(root: Path, student: str) -> float | None:
    with course_folder.gradebook(root) as book:
        return book.find_grade(CELL, NINE.stem, COURSE.name, student).extra_credit


def execute(root: Path, *statements: str) -> None:
    """Changes the gradebook past nbgrader."""
    with course_folder.engine(root) as engine, engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def test_criteria_and_model_answer_are_in_sight_and_names_are_not(page: Page, submissions: dict[str, str]):
    open_answer(page, submissions["bob"])
    panel = page.locator(PANEL)
    assert panel.count() == 1 and panel.locator("input[type=checkbox]").count() == 5
    assert "0 of 5 points by the criteria" in panel.inner_text() and "Names" in panel.inner_text()
    page.locator(f"{PANEL} summary", has_text="Model answer").click()
    assert page.locator(f"{PANEL} details math").first.is_visible()
    assert not page.get_by_text("bob", exact=True).is_visible()
    assert "the same" not in panel.inner_text()
    browser.photograph(page, "marking-1-criteria", whole=True)


def test_keys_tick_and_the_sum_is_the_score_and_all_of_it_is_kept(root: Path, page: Page, submissions: dict[str, str]):
    open_answer(page, submissions["bob"])
    press(page, "1", "3", "5", "3")
    expect(page.locator(f"#{CELL}")).to_have_value("2")
    points, comment, waits = kept(root, "bob")
    assert (points, waits) == (2, False)
    assert [line[:5] for line in comment.splitlines()] == ["- [x]", "- [ ]", "- [ ]", "- [ ]", "- [x]"]
    open_answer(page, submissions["bob"])
    ticked = [box.is_checked() for box in page.locator(f"{PANEL} input").all()]
    assert ticked == [True, False, False, False, True], "what was ticked is there again"
    press(page, "0")
    assert kept(root, "bob")[0] == 0
    page.locator(f"{PANEL} label").first.click()
    expect(page.locator(f"#{CELL}")).to_have_value("1")


def test_a_comment_of_ones_own_stays_below_the_boxes_and_can_be_used_again(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["bob"])
    page.keyboard.press("c")
    page.locator(f"#{CELL}-comment").press("End")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(f"\n\n{COMMENT}")
    with page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok):
        page.keyboard.press("Escape")
    page.locator(PANEL).focus()
    press(page, "2")
    assert kept(root, "bob")[1].endswith(f"\n\n{COMMENT}")
    open_answer(page, submissions["ada"])
    with page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok):
        page.locator(f"{PANEL} select").select_option(label=COMMENT)
    assert kept(root, "ada")[1] == COMMENT


def test_who_wrote_the_same_is_named_by_number_and_gets_the_same_by_one_button(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["ada"])
    assert "1 other student wrote the same" in page.locator(PANEL).inner_text()
    press(page, "1", "2")
    page.locator(f"{PANEL} .give-same").click()
    expect(page.locator(f"{PANEL} .given")).to_have_text("Done: 1 of 1.")
    assert kept(root, "eve") == kept(root, "ada") and kept(root, "eve")[0] == 2
    assert COMMENT in kept(root, "eve")[1]


def test_one_key_leads_to_the_next_student_and_nothing_is_lost_on_the_way(
    root: Path, page: Page, submissions: dict[str, str]
):
    first, second, *_ = sorted(submissions.values())
    open_answer(page, first)
    before = page.locator(f"{PANEL} input").nth(3).is_checked()
    page.keyboard.press("4")
    page.keyboard.press("n")
    page.wait_for_url(re.compile(second))
    page.locator(f"{PANEL}:focus").wait_for()
    (student,) = [student for student, submission in submissions.items() if submission == first]
    assert ("- [x]" in kept(root, student)[1].splitlines()[3]) != before
    page.keyboard.press("p")
    page.wait_for_url(re.compile(first))
    page.locator(f"{PANEL}:focus").wait_for()
    press(page, "4")  # as it was: the tests below count ticks, and chance says whose page this is


def test_what_nbgrader_does_not_save_is_told_and_nobody_goes_on_without_it(
    root: Path, page: Page, submissions: dict[str, str]
):
    first, second, *_ = sorted(submissions.values())
    (student,) = [student for student, submission in submissions.items() if submission == first]
    open_answer(page, first)
    before = page.locator(f"{PANEL} input").nth(2).is_checked()
    page.route("**/api/grade/*", lambda route: route.abort())
    page.route("**/api/comment/*", lambda route: route.abort())
    page.keyboard.press("3")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("Not saved")
    with page.expect_event("requestfailed", lambda sent: "/api/comment/" in sent.url):
        page.keyboard.press("n")  # tries once more
    expect(page).to_have_url(re.compile(first))
    page.unroute("**/api/grade/*")
    page.unroute("**/api/comment/*")
    page.keyboard.press("N")  # as with Caps Lock
    page.wait_for_url(re.compile(second))
    assert ("- [x]" in kept(root, student)[1].splitlines()[2]) != before
    open_answer(page, first)
    press(page, "3")


def test_a_key_that_is_held_down_ticks_once(page: Page, submissions: dict[str, str]):
    open_answer(page, submissions["eve"])
    box = page.locator(f"{PANEL} input").nth(3)
    before = box.is_checked()
    page.keyboard.down("4")
    page.keyboard.down("4")  # as a keyboard repeats it
    page.keyboard.up("4")
    assert box.is_checked() != before
    press(page, "4")


def test_of_keys_pressed_quickly_the_last_one_counts_however_slow_the_first_request_is(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["eve"])
    before, slow = kept(root, "eve"), []
    press(page, "0")
    page.route("**/api/comment/*", lambda route: route.continue_() if slow else slow.append(route))
    for key in "124":
        page.keyboard.press(key)
    page.wait_for_timeout(500)  # nothing overtakes it
    slow[0].continue_()
    page.wait_for_function("() => jQuery.active === 0")
    page.unroute("**/api/comment/*")
    points, comment, _ = kept(root, "eve")
    assert (points, comment.count("- [x]")) == (3, 3) and not page.locator(f"{PANEL} .not-saved").inner_text()
    press(page, "0")
    for n, line in enumerate(before[1].splitlines(), start=1):
        press(page, *([f"{n}"] if line.startswith("- [x]") else []))


def test_the_student_s_page_shows_what_was_ticked(root: Path, page: Page, submissions: dict[str, str]):
    open_answer(page, submissions["bob"])
    assert kept(root, "bob")[0] == 2
    result = course_folder.api(root).generate_feedback(COURSE.name, "bob", force=True)
    assert result["success"], nbgrader_log.last_error(result)
    text = (root / "feedback" / "bob" / COURSE.name / f"{NINE.stem}.html").read_text(encoding="utf-8")
    assert text.count("☑") == 2 and text.count("☐") == 3 and COMMENT in text


def test_a_mark_that_could_not_be_saved_is_saved_once_there_is_room(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["eve"])
    box, before = page.locator(f"{PANEL} input").nth(4), kept(root, "eve")
    full = "CREATE TRIGGER {0} BEFORE UPDATE ON {0} BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
    execute(root, full.format("grade"), full.format("comment"))
    page.keyboard.press("5")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("Not saved")
    assert kept(root, "eve") == before
    execute(root, "DROP TRIGGER grade", "DROP TRIGGER comment")
    with page.expect_navigation():
        page.keyboard.press("n")
    after = kept(root, "eve")
    assert after[0] == before[0] + 1 and after[1] != before[1]
    open_answer(page, submissions["eve"])
    assert box.is_checked()


def test_what_others_have_written_meanwhile_is_shown(root: Path, page: Page, submissions: dict[str, str]):
    for points in (1.5, 2.5, 3.5):
        open_answer(page, submissions["ada"])
        with course_folder.gradebook(root) as book:
            grade = book.find_grade(CELL, NINE.stem, COURSE.name, "ada")
            grade.manual_score, grade.needs_manual_grade = points, True
            book.db.commit()
        open_answer(page, submissions["ada"])
        expect(page.locator(f"#{CELL}")).to_have_value(f"{points}")
        page.locator(".mark-graded:visible").click()
        expect(page.locator(".mark-graded:visible")).to_have_count(0)
        assert kept(root, "ada")[0::2] == (points, False)


def resubmit(root: Path, student: str, answer: str) -> None:
    """Puts another answer in place, as grading a newer submission does."""
    graded = root / "autograded" / student / COURSE.name / f"{NINE.stem}.ipynb"
    notebook = json.loads(graded.read_text(encoding="utf-8"))
    graded_class.cell(notebook, "-reasoning")["source"] = answer
    graded.write_text(json.dumps(notebook), encoding="utf-8")
    with course_folder.gradebook(root) as book:
        book.find_grade(CELL, NINE.stem, COURSE.name, student).needs_manual_grade = True
        book.db.commit()


def test_a_mark_for_an_answer_that_was_replaced_meanwhile_is_not_saved(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["bob"])
    before = kept(root, "bob")
    resubmit(root, "bob", "Now I know: the rank is that of the product.")
    page.keyboard.press("2")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("submitted another answer")
    page.keyboard.press("n")  # tries once more
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("submitted another answer")
    assert kept(root, "bob") == (*before[:2], True)
    open_answer(page, submissions["bob"])
    page.get_by_text("Now I know").wait_for()
    press(page, "2", "2")
    assert kept(root, "bob") == (*before[:2], False)


def test_who_wrote_the_same_and_then_something_else_gets_nothing_by_the_button(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["ada"])
    resubmit(root, "eve", "Something else.")
    before = kept(root, "eve")
    page.locator(f"{PANEL} .give-same").click()
    expect(page.locator(f"{PANEL} .given")).to_contain_text("Stopped after 0 of 1: this student has submitted another")
    assert kept(root, "eve") == before
    page.keyboard.press("n")  # holds nobody on this page
    page.wait_for_url(lambda url: submissions["ada"] not in url)
    resubmit(root, "eve", ANSWERS["eve"])


def test_no_grader_writes_over_a_mark_that_their_page_has_not_shown(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["ada"])
    press(page, "1")
    with course_folder.gradebook(root) as book:  # as another grader's page does
        book.find_grade(CELL, NINE.stem, COURSE.name, "ada").manual_score = 4.5
        book.find_comment(CELL, NINE.stem, COURSE.name, "ada").manual_comment = "By another grader."
        book.db.commit()
    page.keyboard.press("3")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("another grader has marked it")
    assert kept(root, "ada") == (4.5, "By another grader.", False)
    open_answer(page, submissions["ada"])
    expect(page.locator(f"#{CELL}")).to_have_value("4.5")
    press(page, "3")
    assert kept(root, "ada")[0] == 1


def test_no_grader_takes_away_extra_credit_that_their_page_has_not_shown(
    root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["ada"])
    press(page, "2")
    with course_folder.gradebook(root) as book:  # as another grader's page does
        book.find_grade(CELL, NINE.stem, COURSE.name, "ada").extra_credit = 0.5
        book.db.commit()
    page.keyboard.press("2")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("another grader has marked it")
    assert extra_credit(root, "ada") == 0.5
    open_answer(page, submissions["ada"])
    expect(page.locator(f"#{CELL}_extra_credit")).to_have_value("0.5")
    press(page, "1")
    for points in ("1.5", ""):
        with page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.ok):
            page.locator(f"#{CELL}_extra_credit").fill(points)
            page.locator(f"#{CELL}_extra_credit").blur()
        assert extra_credit(root, "ada") == (float(points) if points else None)


@pytest.mark.parametrize(("points", "comment"), [(3.25, None), (None, "By a third grader.")])
def test_ticks_and_their_sum_are_saved_both_or_not_at_all(
    points: float | None, comment: str | None, root: Path, page: Page, submissions: dict[str, str]
):
    open_answer(page, submissions["ada"])
    press(page, "0", "1")
    with course_folder.gradebook(root) as book:  # as another grader's page does
        grade = book.find_grade(CELL, NINE.stem, COURSE.name, "ada")
        said = book.find_comment(CELL, NINE.stem, COURSE.name, "ada")
        grade.manual_score, said.manual_comment = points or grade.manual_score, comment or said.manual_comment
        book.db.commit()
    before = kept(root, "ada")
    page.keyboard.press("2")
    expect(page.locator(f"{PANEL} .not-saved")).to_contain_text("another grader has marked it")
    page.keyboard.press("n")  # tries once more
    page.wait_for_function("() => jQuery.active === 0")
    assert kept(root, "ada") == before and submissions["ada"] in page.url


def test_where_a_part_has_no_written_answer_nothing_is_added(root: Path, page: Page):
    with course_folder.gradebook(root) as book:
        submission = book.find_submission_notebook("part01", COURSE.name, "bob").id
    page.goto(re.sub(r"/formgrader/.*", f"/formgrader/submissions/{submission}/?index=0", page.url))
    page.locator("#part01-test_extra_credit[placeholder]").wait_for()
    assert page.locator(PANEL).count() == 0 and "written-answers" not in page.content()


def test_what_is_embedded_ends_no_script(root: Path):
    from grading.pages import written_answers

    data = written_answers._embedded([{"comments": ["</script><script>alert(1)</script>", "<!--"]}])
    assert "<" not in data and json.loads(data)[0]["comments"][1] == "<!--"
