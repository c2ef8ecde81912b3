"""The class report: its numbers by hand, its page in a browser, and one class through the real gradebook."""

import base64
import json
import math
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import busy
import graded_here
import html5lib
import jsonschema
import lean
import pretend_class
import pytest
from playwright.sync_api import Browser, sync_playwright

from attention import course
from attention.course import COURSE
from dev import handed_in, installation
from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.gradebook import course_folder, generate_assignment, marks
from grading.pages import class_data, class_figures, class_report, report_json
from grading.pages.class_data import ClassResults, Item, Mistake, Student

MODULES = installation.WEB / "node_modules"
HOSTILE = [
    '<script>alert("x")</script>',
    "$\\frac{1}$",
    "名前 \x1b[2J\x00",
    "<b>&amp;'\"" + "long" * 30,
    "-->\n</style>",
]


def a_class(*won: tuple[float, float], points: float = 4.0, names: list[str] | None = None) -> ClassResults:
    """Students by what they won for an item of part 3 and for all of part 4."""
    students = []
    for n, (item, other) in enumerate(won):
        all_marks = dict.fromkeys(course.PARTS, 0.0) | {3: item, 4: other}
        students.append(Student(names[n] if names else f"s{n}", all_marks, {Item(3, "exact", points): item}))
    return ClassResults(COURSE, tuple(students))


def rest_of(results: ClassResults) -> class_figures.Rest:
    (one,) = class_figures.item_rest(results).values()
    return one


def test_an_item_is_correlated_with_the_marks_that_are_not_its_own():
    # x = 0 0 4 4 4, rest = 1 2 3 4 5: the covariance is 4.8 / 5, the deviations are sqrt(3.84) and sqrt(2).
    one = rest_of(a_class((0, 1), (0, 2), (4, 3), (4, 4), (4, 5)))
    assert one.r == pytest.approx(2.4 / math.sqrt(3.84 * 2)) and one.students == 5


def test_as_json_it_has_the_documented_form_and_the_same_numbers():
    found = pretend_class.results(12)
    document = json.loads(json.dumps(report_json.document(found)))
    jsonschema.validate(document, json.loads((REPOSITORY / "docs/schemas/report-1.json").read_text(encoding="utf-8")))
    assert [student["total"] for student in document["students"]] == [student.total for student in found.students]
    assert len(document["items"]) == len(found.items) and document["items"][0]["mean"] == pytest.approx(
        sum(student.won[found.items[0]] for student in found.students if found.items[0] in student.won)
        / sum(found.items[0] in student.won for student in found.students)
    )
    assert {each["mistake"]: each["students"] for each in document["mistakes"]} == {
        mistake.key: makers for mistake, makers in found.makers().items()
    }


def test_an_item_that_the_able_lose_correlates_below_zero():
    assert rest_of(a_class((4, 1), (4, 2), (0, 3), (0, 4), (0, 5))).r < -0.8


@pytest.mark.parametrize(
    ("won", "why"),
    [
        ([(4, n) for n in range(6)], "everyone has all its points"),
        ([(2, n) for n in range(6)], "everyone has the same"),
        ([(0, n) for n in range(6)], "nobody has a point"),
        ([(n % 2, 3) for n in range(6)], "the other marks are all equal"),
        ([(n % 2, n) for n in range(4)], "fewer than 5 students"),
    ],
)
def test_where_nothing_varies_there_is_no_correlation_but_a_reason(won: list, why: str):
    assert rest_of(a_class(*won)) == class_figures.Rest(None, len(won), why)


def test_a_name_with_commas_in_it_stands_for_nobody_else():
    found = a_class((0, 1), (0, 2), names=["ada, bob", "eve"])
    made = Mistake(3, "unscaled", "Divided by what?")
    found = replace(found, students=tuple(replace(student, mistakes=(made,)) for student in found.students))
    assert ">ada, bob; eve<" in class_report.page(found, "today")


def test_students_with_an_unmarked_part_do_not_enter_the_correlation():
    results = a_class((0, 1), (0, 2), (4, 3), (4, 4), (4, 5), (0, 100))
    results.students[5].marks[9] = None
    one = rest_of(results)
    assert one.students == 5 and one.r > 0.8


def test_the_band_of_chance_shrinks_with_the_class():
    # tables of the correlation's 5 % limits give 0.707 for 8 students and 0.113 for 300
    assert class_figures.Rest(0.5, 8).chance == pytest.approx(0.707, abs=0.005)
    assert class_figures.Rest(0.5, 300).chance == pytest.approx(0.113, abs=0.001)


def test_an_item_is_as_hard_as_those_found_it_whom_it_was_looked_at():
    results = a_class((4, 0), (1, 0), (4, 0))
    del results.students[2].won[Item(3, "exact", 4.0)]  # a damaged notebook
    assert class_figures.shares(results) == [0.625]


def test_a_mistake_is_counted_once_a_student_and_the_most_usual_comes_first():
    root, other = Mistake(3, "root-forgotten", "said"), Mistake(5, "heads-mixed")
    students = [Student("a", {}, {}, (other, root, root)), Student("b", {}, {}, (Mistake(3, "root-forgotten", "?"),))]
    assert ClassResults(COURSE, tuple(students)).makers() == {root: ["a", "b"], other: ["a"]}


def test_what_was_not_graded_is_told_by_reason_student_and_part():
    students = (
        Student("a", {1: None, 2: None}, ungraded={1: "why", 2: "why"}),
        Student("b", {1: 0.0, 2: 3.0}, ungraded={1: "other"}),
    )
    assert ClassResults(COURSE, students, ("late",)).not_graded() == [
        (class_data.NEVER_GRADED, [("late", list(course.PARTS))]),
        ("why", [("a", [1, 2])]),
        ("other", [("b", [1])]),
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of classes of 1, 8 and 300, and of one whose students have names that no parent gives."""
    folder = tmp_path_factory.mktemp("pages")
    classes = {str(size): pretend_class.results(size) for size in (1, 8, 300)}
    named = (Student(n, s.marks, s.won, s.mistakes, s.breaches, s.ungraded, s.unread) for n, s in
             zip(HOSTILE, pretend_class.results(5).students, strict=True))  # fmt: skip
    classes["hostile"] = ClassResults(COURSE, tuple(named), ("<i>late</i>",))
    for name, results in classes.items():
        started = time.process_time()
        (folder / f"{name}.html").write_text(class_report.page(results, "2026-11-21, 10:00"), encoding="utf-8")
        assert busy.within(time.process_time() - started, 10), "a page takes 1 to 2 s"
    return {name: folder / f"{name}.html" for name in classes}


def pictures(page: Path) -> list[str]:
    """The SVG of the page's pictures."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page.read_text(encoding="utf-8"))
    return [base64.b64decode(data).decode() for data in found]


SIZES = ["1", "8", "300", "hostile"]


@pytest.mark.parametrize("size", SIZES)
def test_the_page_is_html_without_scripts_and_brings_all_it_needs(size: str, pages: dict[str, Path]):
    text = pages[size].read_text(encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(text)
    assert "<script" not in text.lower() and "<i>late" not in text
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', text)
    assert len(sources) >= 6 and all(s.startswith(("data:image/svg+xml;base64,", "#")) for s in sources)
    assert all(len(alt) > 40 for alt in re.findall(r'<img [^>]*alt="([^"]*)"', text))


def test_the_pages_are_valid_html(pages: dict[str, Path]):
    program = MODULES / ".bin" / "html-validate"
    rules = {"extends": ["html-validate:standard"], "rules": {"no-inline-style": "off"}}
    (pages["8"].parent / ".htmlvalidate.json").write_text(json.dumps({**rules, "root": True}))
    result = subprocess.run([program, *pages.values()], capture_output=True, text=True, cwd=pages["8"].parent)
    assert result.returncode == 0, result.stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])


@pytest.mark.parametrize("size", ["8", "300", "hostile"])
def test_the_page_reads_well_for_everyone_on_a_phone_too_and_asks_the_network_for_nothing(
    size: str, pages: dict[str, Path], browser: Browser
):
    page, asked = browser.new_page(viewport={"width": 375, "height": 700}), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail("a student's text ran"))
    page.goto(pages[size].as_uri())
    assert [url for url in asked if not url.startswith("data:")] == [pages[size].as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.add_script_tag(path=MODULES / "axe-core" / "axe.min.js")
    if size != "300":  # its long tables are built like those of 8, and take axe a minute
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = page.evaluate("axe.run()")["violations"]
    assert not [v["id"] for v in found if v["impact"] in ("serious", "critical")], found
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 300)")
    page.close()


def test_names_stand_in_the_heat_map_of_a_small_class_and_percentiles_in_that_of_a_large_one(pages: dict[str, Path]):
    small, large = pictures(pages["8"])[0], pictures(pages["300"])[0]
    assert all(f"student-00{n}" in small for n in range(8)) and "median" not in small
    assert "student-" not in large and all(word in large for word in ("highest", "median", "lower quarter"))


def test_the_heat_map_puts_the_highest_total_on_top():
    svg, _ = class_figures.heat_map(a_class((4, 1), (0, 2), (4, 5), names=["mid", "low", "top"]))
    texts = [e.text for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert [t for t in texts if t in ("mid", "low", "top")] == ["top", "mid", "low"]


def test_the_totals_go_as_far_as_the_points_of_the_course():
    small = replace(COURSE, parts=COURSE.parts[:4])
    svg, _ = class_figures.heat_map(replace(a_class((4, 1), (0, 2)), course=small))
    texts = [e.text for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert f"{small.points:g}" in texts and f"{COURSE.points:g}" not in texts


def test_names_are_drawn_as_they_stand(pages: dict[str, Path]):
    drawn = "".join(ElementTree.fromstring(pictures(pages["hostile"])[0]).itertext())
    assert "$\\frac{1}$" in drawn and '<script>alert("x")</scr' in drawn and "名前 ?[2J?" in drawn


def test_the_page_names_who_made_which_mistake(pages: dict[str, Path]):
    results = pretend_class.results(300)
    text = re.sub(r"<[^>]*>", " ", pages["300"].read_text(encoding="utf-8"))
    for mistake, who in results.makers().items():
        row = text.split(f"{class_figures.named(mistake.key)} ")[1 if mistake.key != "root-forgotten" else -1]
        assert len(who) > 0 and (len(who) > 12 or "; ".join(who) in row)
    assert "neighbouring heads" in text


def test_the_same_class_gives_the_same_page(pages: dict[str, Path]):
    again = class_report.page(pretend_class.results(1), "2026-11-21, 10:00")
    assert again == pages["1"].read_text(encoding="utf-8")


# Through nbgrader and the judge: two parts, and a submission for each thing that can happen.


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of parts 3 and 8, graded: all right; a root forgotten, a damaged file; an import, a missing file."""
    root = tmp_path_factory.mktemp("course")
    lean.new(root, course.PARTS[3], course.PARTS[8])
    no_root = "def attention_logits(q, K, D_qk):\n    return K @ q"
    answers = {
        "right": handed_in.model(course.PARTS[3]),
        "root": handed_in.submission(course.PARTS[3], no_root),
        "import": handed_in.submission(course.PARTS[3], f"import math\n{no_root}"),
    }
    for student, notebook in answers.items():
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        lean.write(folder, course.PARTS[3], notebook)
        if student == "right":
            lean.write(folder, course.PARTS[8], handed_in.model(course.PARTS[8]))
        if student == "root":
            (folder / "part08.ipynb").write_text("<html>")
    generate_assignment.register(root)
    for student in answers:
        result = graded_here.grade_student(root, student, feedback=False)
        assert not result.error and not result.unmarked
    for student in ("late", "<b>late"):
        (root / "submitted" / student / COURSE.name).mkdir(parents=True)
    return root


def test_the_class_is_read_from_the_gradebook_and_the_graded_notebooks(graded: Path):
    results = class_data.read(graded)
    by_name = {student.name: student for student in results.students}
    with course_folder.gradebook(graded) as book:
        assert {row.student: row.parts for row in marks.read(book, COURSE)} == {n: s.marks for n, s in by_name.items()}
    assert {n: s.marks[3] for n, s in by_name.items()} == {"right": 10, "root": 6, "import": 0}
    exact, reads = Item(3, "exact", 4.0), Item(8, "kv_head", 2.0)
    assert [by_name[name].won[exact] for name in ("right", "root", "import")] == [4, 0, 0]
    assert "import math" in by_name["import"].breaches[3]
    assert by_name["root"].ungraded[8].startswith("the file is not JSON")
    assert by_name["import"].ungraded[8] == class_data.NOT_THERE
    assert [name for name, student in by_name.items() if reads in student.won] == ["right"]
    assert by_name["right"].unread == (8,) and results.never_graded == ("<b>late", "late")
    assert by_name["right"].ungraded[1] == class_data.NOT_ENTERED  # this course has two parts


def test_the_command_writes_the_page_where_the_marks_are(graded: Path, capsys: pytest.CaptureFixture):
    assert main(["report", str(graded)]) == 0
    assert "report.html" in capsys.readouterr().out
    text = (graded / "report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;late" in text and "<b>late" not in text
    assert "Submitted, but not graded yet" in text and "Part 8, MHA inside GQA: 1, 2 points each" in text


def test_a_graded_notebook_that_is_gone_costs_its_items_and_no_marks(graded: Path, tmp_path: Path):
    shutil.copytree(graded, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "autograded" / "right")
    notebook = tmp_path / "autograded" / "root" / COURSE.name / "part03.ipynb"
    notebook.chmod(0o644)  # nbgrader makes it read-only
    notebook.write_text("{}")
    by_name = {student.name: student for student in class_data.read(tmp_path).students}
    assert by_name["right"].marks[3] == 10 and by_name["right"].ungraded[3] == class_data.NOT_KEPT
    assert by_name["root"].marks[3] == 6 and by_name["root"].ungraded[3] == class_data.NO_REPORT


@pytest.mark.parametrize("state", ["missing", "broken", "empty"])
def test_without_marks_the_command_says_in_a_line_what_to_do(
    state: str, graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture
):
    course_folder.configure(tmp_path, REPOSITORY)
    if state == "broken":
        (tmp_path / "gradebook.db").write_text("not a database, but somebody's file")
    if state == "empty":
        shutil.copy(graded / "gradebook.db", tmp_path)
        with course_folder.gradebook(tmp_path) as book:
            for student in list(book.students):
                book.remove_submission(COURSE.name, student.id)
    capsys.readouterr()
    assert main(["report", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "gradebook.db" in error and not (tmp_path / "report.html").exists()
    assert ("Grade first: python -m grading grade --course" in error) == (state != "broken")
