"""Feedback pages: what they say; that they are valid, accessible and whole by themselves; that nothing in them runs."""

import base64
import functools
import gc
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import browser
import busy
import graded_class
import page_checks
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import GetGrades

from attention import course
from attention.course import COURSE
from attention.hints import HINTS
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core import limits, messages
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.pages import feedback, mathml, student_pages, wording

ADA, MALLORY = "ada", "mallory & <i>co"
MALLORYS = (2, 5, 6)
LOST = {  # what Ada loses: all of part 5's values, a bit of part 3, a rule in part 7
    3: {"exact": "the numbers are off by up to 55 % of `the` largest expected number."},
    5: {"values": "the shares add up to 1 over the queries.", "output shape": "expected shape (3,), got (2,)."},
}
BREACH = messages.breach_import("Answer", 2, "import math", "torch, NumPy")
RUN = "window.top.hit=1;alert(1)"
HOSTILE = "\n\n".join(
    [
        f"<script>{RUN}</script>",
        f"</pre></code></details></style></title></textarea>--><script>{RUN}</script>",
        f'"><img src=x onerror="{RUN}">',
        f"' onmouseover='{RUN}' autofocus onfocus='{RUN}'",
        f"[a](javascript:{RUN}) [b](data:text/html,<script>{RUN}</script>) ![c](https://elsewhere.example/x.png)",
        f"$\\text{{<img src=x onerror={RUN}>}}$ $\\href{{javascript:{RUN}}}{{x}}$",
        "$$\\style{background:url(//e.example)}{x}$$",
        f"<svg onload={RUN}><style>@import url(https://elsewhere.example/x.css);</style></svg><math><mtext><script>{RUN}",
        f"<iframe srcdoc='<script>{RUN}</script>'></iframe>",
        "<base href=https://elsewhere.example/><form action=//e.example>",
        '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">',
        "<link rel=stylesheet href=//e.example/x.css>",
        "{{ 7 * 7 }} {% raw %} \x00\x1b[31m\x7f \ud800 \ufdd0 \u202e",
    ]
)


HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"  # of a PNG, whose width and height come next
PNG = base64.b64encode(HEAD + bytes([0, 0, 0, 9] * 2) + bytes(6)).decode()


def _ada(part: Part, notebook: dict) -> dict | None:
    if part.number == 4:
        return None
    if part.number == 7:
        return graded_class.report(notebook, part, breach=BREACH)
    return graded_class.report(notebook, part, LOST.get(part.number))


def _mallory(part: Part, notebook: dict) -> dict | None:
    """Every text that a student, or a program of theirs, can leave in a graded notebook, says what it should not."""
    if part.number not in MALLORYS:
        return None
    picture = {
        "image/png": f'AAAA" onerror="{RUN}',
        "image/svg+xml": f"<svg xmlns='x' onload='{RUN}'/>",
        "text/plain": "x",
    }
    bomb = {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain": "Q5Q5"}
    outputs = [{"output_type": "stream", "name": "stdout", "text": HOSTILE}]
    outputs.append({"output_type": "error", "ename": HOSTILE, "evalue": HOSTILE, "traceback": [HOSTILE]})
    for data in [picture, bomb, *({name: HOSTILE, "text/plain": HOSTILE} for name in MIMES)]:
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    own = {
        "cell_type": "code",
        "id": "own",
        "metadata": {},
        "execution_count": 1,
        "source": HOSTILE,
        "outputs": outputs,
    }
    notebook["cells"].insert(3, own)
    notebook["cells"].insert(3, {"cell_type": "markdown", "id": "own-2", "metadata": {}, "source": HOSTILE})
    notebook["cells"].insert(3, {"cell_type": "raw", "id": "own-3", "metadata": {}, "source": HOSTILE})
    graded_class.cell(notebook, "-answer")["source"] = HOSTILE
    if part.by_hand:
        graded_class.cell(notebook, "-reasoning")["source"] = HOSTILE
    lost = dict.fromkeys(list(HINTS[part.number])[:1], HOSTILE[:400].replace("\ud800", ""))
    return graded_class.report(notebook, part, lost)


MIMES = ["text/html", "text/markdown", "text/latex", "image/svg+xml", "application/javascript", "text/vnd.mermaid"]
MIMES += ["application/vnd.jupyter.widget-view+json"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of Ada's and Mallory's pages, made by nbgrader with the course's configuration."""
    root = tmp_path_factory.mktemp("feedback")
    course_folder.configure(root, REPOSITORY)
    graded_class.entered(root, {ADA: _ada, MALLORY: _mallory})
    with course_folder.gradebook(root) as book:
        read = book.find_grade("part06-reasoning", "part06", COURSE.name, ADA)
        read.manual_score, read.needs_manual_grade = 1.5, False
        book.find_comment("part06-reasoning", "part06", COURSE.name, ADA).manual_comment = "Why *equal*? See $r$."
        book.find_grade("part02-test", "part02", COURSE.name, MALLORY).auto_score = None
        book.db.commit()
    (root / "autograded" / MALLORY / COURSE.name / "submission_secret.txt").write_text("as nbgrader collects it")
    for student in (ADA, MALLORY):
        done = course_folder.api(root).generate_feedback(COURSE.name, student, force=True)
        assert done["success"], done["log"]
    return {student: root / "feedback" / student / COURSE.name for student in (ADA, MALLORY)}


def test_outputs_of_nothing_but_colours_are_soon_shown_in_the_formgrader():
    exporter = HTMLExporter(config=course_folder.config(REPOSITORY))
    texts = ["\x1b[31m<a", "<b>" + "\x1b[m" * 330_000, *["\x1b[31mx" * 9_990] * 40]
    outputs = [new_output("stream", name=("stdout", "stderr")[n % 2], text=text) for n, text in enumerate(texts)]
    started = time.thread_time()
    page, _ = exporter.from_notebook_node(new_notebook(cells=[new_code_cell("1", outputs=outputs)]))
    # 3 s; nbconvert's own takes 9 s for the second, and 20 s for the others.
    assert busy.within(time.thread_time() - started, 8.0)
    assert '<span class="ansi-red-fg">&lt;a</span>' in page and "&lt;b&gt;" in page
    assert page.count('<span class="ansi-red-fg">x</span>') == 5 * 9_990


def test_a_page_draws_no_svg_of_a_student_s_which_could_hold_the_browser_up(pages: dict[str, Path]):
    shown = (pages[MALLORY] / f"part{min(MALLORYS):02d}.html").read_text(encoding="utf-8")
    assert "Q5Q5" in shown  # what stands in its place
    assert "image/svg" not in re.sub(r"(?s)<pre.*?</pre>", "", shown)


def test_nor_does_the_formgrader():
    exporter = HTMLExporter(config=course_folder.config(REPOSITORY))
    drawn = {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>"}
    data = [drawn | {"text/plain": "Q5Q5"}, drawn | {"image/png": PNG, "text/plain": "Q6Q6"}]
    outputs = [new_output("display_data", data=each) for each in data]
    page, _ = exporter.from_notebook_node(new_notebook(cells=[new_code_cell("1", outputs=outputs)]))
    assert "Q5Q5" in page and "Q6Q6" not in page and PNG in page
    assert 'src="data:image/svg' not in page  # the style has some


@pytest.fixture(scope="module")
def window() -> Iterator[page_checks.Window]:
    with page_checks.window() as opened:
        yield opened


def _all(pages: dict[str, Path]) -> list[Path]:
    found = [path for folder in pages.values() for path in sorted(folder.glob("*.html"))]
    others = len(COURSE.others)  # of Mallory, whose folder came through the exchange
    assert len(found) == 14 + 4 + others  # Ada has not submitted part 4; an index each
    return found


def _text(page: Path) -> str:
    """What a page shows, in one line."""
    shown = re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", page.read_text(encoding="utf-8"))
    return " ".join(shown.replace("&#39;", "'").split())


# --- what they are


def test_every_page_is_valid_whatever_a_student_wrote(pages: dict[str, Path]):
    faults = {path.name: page_checks.faults_of_html(path.read_text(encoding="utf-8")) for path in _all(pages)}
    assert not {name: found for name, found in faults.items() if found}


def test_the_pages_of_an_honest_student_hold_only_what_the_standard_allows(pages: dict[str, Path]):
    assert page_checks.faults_of_content(sorted(pages[ADA].glob("*.html"))) == []


def test_nothing_in_a_page_runs_or_is_loaded_from_elsewhere(pages: dict[str, Path]):
    for path in _all(pages):
        assert page_checks.what_runs_or_loads(path.read_text(encoding="utf-8")) == [], path.name


def test_in_a_browser_nothing_of_a_hostile_student_runs_even_without_the_pages_own_policy(
    pages: dict[str, Path], window: page_checks.Window
):
    for name in ("index", "part05", "part06"):
        with window.page(pages[MALLORY] / f"{name}.html", guarded=False) as page:
            page.mouse.move(100, 300)
            page.keyboard.press("Tab")
            assert page.evaluate("window.hit") is None
            assert page_checks.too_wide(page) == []
    assert window.asked == []
    assert window.said == []


@pytest.mark.parametrize("name", ["index", "part05", "part06", "part09", "part12", "part13", "part14"])
def test_a_page_fits_a_phone_and_asks_for_nothing(name: str, pages: dict[str, Path], window: page_checks.Window):
    with window.page(pages[ADA] / f"{name}.html") as page:
        assert page_checks.too_wide(page) == []
    assert window.asked == []


# How far each long formula lies above its line, as the page has it and as a formula that can't scroll has it.
ABOVE = """[...document.querySelectorAll('.long math')].map(math => {
    const long = math.closest('.long'), line = document.createElement('span'), foot = document.createElement('span')
    line.style.whiteSpace = 'nowrap'
    foot.style.display = 'inline-block'
    long.before(line)
    line.append(foot, long)
    const above = () => foot.getBoundingClientRect().bottom - math.getBoundingClientRect().bottom
    const there = above()
    long.style.display = 'inline'
    long.style.verticalAlign = 'baseline'
    return [there, above()]
})"""


def test_a_long_formula_stands_on_the_line_that_it_is_in(pages: dict[str, Path], window: page_checks.Window):
    with window.page(pages[ADA] / "part06.html", width=1200) as page:
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        heights = page.evaluate(ABOVE)
    assert len(heights) > 10
    assert [there for there, should in heights if abs(there - should) > 0.6] == []


@pytest.mark.parametrize("name", ["index", "part05", "part06"])
def test_a_page_is_accessible_to_all(name: str, pages: dict[str, Path], window: page_checks.Window):
    with window.page(pages[ADA] / f"{name}.html") as page:
        browser.photograph(page, f"feedback-{name}", whole=True)
        assert page_checks.hard_to_use(page) == []


def test_a_page_is_printed_whole(pages: dict[str, Path], window: page_checks.Window):
    with window.page(pages[ADA] / "part05.html", width=794, media="print") as page:
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = false)")
        browser.photograph(page, "feedback-printed", whole=True)
        assert page_checks.too_wide(page) == []
        assert page.locator("main details .text").first.bounding_box()["height"] > 20  # the task, folded on a screen
        all_that_scrolls = "[...document.querySelectorAll('pre, .wide, .formula')]"
        assert page.evaluate(f"{all_that_scrolls}.filter(each => each.scrollWidth > each.clientWidth + 1).length") == 0


def test_pages_are_small(pages: dict[str, Path]):
    for path in pages[ADA].glob("*.html"):
        pictures = sum(map(len, re.findall(r'src="data:[^"]*"', path.read_text(encoding="utf-8"))))
        assert path.stat().st_size - pictures < 120_000, path.name


# --- what they say


def test_no_line_of_a_hidden_test_is_on_any_page(pages: dict[str, Path]):
    for part in course.PARTS.values():
        source = graded_class.cell(graded_class.solved(part), "-test")["source"]
        hidden = "".join(source).split("BEGIN HIDDEN TESTS")[1].split("### END")[0]
        public = "".join("".join(cell["source"]) for cell in handed_in.released(part)["cells"])
        lines = {line.strip() for line in hidden.splitlines() if len(line.strip()) > 12 and line.strip() not in public}
        lines = {" ".join(line.split()) for line in lines}
        assert len(lines) > 5, part.stem
        for folder in pages.values():
            path = folder / f"{part.stem}.html"
            shown = _text(path) if path.exists() else ""
            assert not {line for line in lines if line in shown}, part.stem


def test_a_page_begins_with_the_marks_and_with_what_each_item_found(pages: dict[str, Path]):
    shown = _text(pages[ADA] / "part05.html")
    wanted = ["5 · Build MHA", "6 of 10 points", "✓ 2 of 2 attributes", "✗ 0 of 2 output shape", "✗ 0 of 2 values"]
    places = [shown.index(text) for text in [*wanted, "Your notebook", "Your answer", "The visible checks"]]
    assert places == sorted(places)
    assert "the shares add up to 1 over the queries." in shown


def test_a_broken_rule_stands_in_place_of_the_items(pages: dict[str, Path]):
    shown = _text(pages[ADA] / "part07.html")
    assert "0 of 10 points" in shown
    assert "line 2, import math : only torch, NumPy and what the setup cell imports may be imported." in shown
    assert "✗" not in shown


def test_a_written_answer_has_its_points_and_its_comment_or_is_open(pages: dict[str, Path]):
    read, unread = _text(pages[ADA] / "part06.html"), _text(pages[ADA] / "part08.html")
    assert "By the tests: 3 of 3. For your written answer : 1.5 of 2." in read
    assert "4.5 of 5 points By the tests" in read
    assert "Comment Why equal ? See r ." in read
    assert "3 of 5 points so far" in unread
    assert "not read yet; 2 points are open." in unread


def test_a_part_that_we_failed_to_mark_is_not_marked_and_not_zero(pages: dict[str, Path]):
    assert "not graded yet: our grader failed, not your answer." in _text(pages[MALLORY] / "part02.html")
    index = _text(pages[MALLORY] / "index.html")
    assert "part 2: not graded yet" in index
    assert "tests not marked" in index


def test_every_picture_says_what_it_is(pages: dict[str, Path]):
    page = (pages[ADA] / "part05.html").read_text(encoding="utf-8")
    described = re.findall(r'<img src="data:image/png[^"]*" alt="([^"]*)">', page)
    assert described == [wording.picture(5)]


def test_the_index_names_the_largest_losses_first_with_what_was_found(pages: dict[str, Path]):
    shown = _text(pages[ADA] / "index.html")
    order = [
        "7 · Build GQA 10 points missing",
        "4 · From heads",
        "5 · Build MHA 4 points missing",
        "3 · The attention score 3.33",
    ]
    places = [shown.index(text) for text in ["What to look at first", *order, "What was not graded", "All parts"]]
    assert places == sorted(places)
    assert "output shape : expected shape (3,), got (2,)." in shown


def test_the_index_adds_up_what_is_marked_and_names_what_is_not(pages: dict[str, Path]):
    shown = _text(pages[ADA] / "index.html")
    won = (
        81 - 10 - 5 - 4 - 10 / 3 + 1.5
    )  # part 7, part 4, two items of part 5, one of part 3; the written answer of part 6
    assert f"{won:.2f} of 100 points so far" in shown
    assert "5 written answers have not been read yet; 17 points are open." in shown
    assert "parts 8, 9, 11, 12 and 14: your written answer has not been read yet." in shown
    assert f"part 4: {wording.NOT_SUBMITTED}" in shown
    assert "4 · From heads to the output 0/5" in shown


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A course's folder in which Ada has submitted parts 1 and 2."""
    graded_class.entered(tmp_path, {ADA: lambda part, notebook: notebook if part.number < 3 else None})
    return tmp_path


def test_the_index_is_as_open_as_the_pages_that_it_leads_to(begun: Path):
    umask = os.umask(0o077)  # with which nothing is open to a group or to others unless somebody says so
    try:
        assert course_folder.api(begun).generate_feedback(COURSE.name, ADA)["success"]
    finally:
        os.umask(umask)
    modes = {p.name: oct(p.stat().st_mode)[-3:] for p in (begun / "feedback" / ADA / COURSE.name).iterdir()}
    assert modes == dict.fromkeys(("index.html", "part01.html", "part02.html"), "644")


def test_an_index_that_cannot_be_written_is_no_success(begun: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(student_pages, "index", lambda *_: 1 / 0)
    result = course_folder.api(begun).generate_feedback(COURSE.name, ADA)
    assert not result["success"] and "ZeroDivisionError" in result["log"]
    assert not (begun / "feedback" / ADA / COURSE.name).exists(), "the next run makes all of it"


def test_two_courses_whose_pages_one_process_makes_in_turns_share_nothing(tmp_path: Path):
    lost, runs = {"one": {3: LOST[3]}, "two": {5: LOST[5]}}, {}
    for name, of in lost.items():
        (tmp_path / name).mkdir()
        graded_class.entered(
            tmp_path / name, {ADA: lambda part, nb, of=of: graded_class.report(nb, part, of.get(part.number))}
        )
        config = course_folder.config(tmp_path / name)
        runs[name] = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
        runs[name].coursedir.assignment_id, runs[name].coursedir.student_id = COURSE.name, ADA
        runs[name].init_notebooks()
        (runs[name].notebooks,) = map(sorted, runs[name].assignments.values())
        runs[name].exporter = student_pages.PageExporter(parent=runs[name], config=config)
        runs[name].exporter.register_preprocessor(GetGrades)
    for part in COURSE.parts:
        for run in runs.values():
            path = next(path for path in run.notebooks if Path(path).stem == part.stem)
            run.exporter.from_filename(path, resources=run.init_single_notebook_resources(path))
    one, two = (_text(tmp_path / name / "feedback" / ADA / COURSE.name / "index.html") for name in lost)
    assert "77.67 of 100" in one and "77 of 100" in two


def test_links_lead_to_pages_that_are_there(pages: dict[str, Path]):
    for path in _all(pages):
        for target in re.findall(r'href="([\w.]+\.html)"', path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} to {target}"


def test_pages_that_go_through_the_exchange_do_not_link_to_an_index_that_it_does_not_carry(pages: dict[str, Path]):
    by_hand, exchanged = ((pages[who] / "part05.html").read_text(encoding="utf-8") for who in (ADA, MALLORY))
    assert 'href="index.html"' in by_hand
    assert "index.html" not in exchanged
    assert 'href="part06.html"' in exchanged


def test_no_page_holds_anything_of_another_student(pages: dict[str, Path]):
    assert not [path.name for path in pages[ADA].glob("*.html") if "mallory" in path.read_text(encoding="utf-8")]
    assert not [path.name for path in pages[MALLORY].glob("*.html") if ">ada<" in path.read_text(encoding="utf-8")]


# --- formulas


def test_every_formula_of_the_course_is_drawn():
    seen = set()
    for part in course.PARTS.values():
        for cell in graded_class.solved(part)["cells"]:
            if cell["cell_type"] == "markdown":
                seen |= set(re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", "".join(cell["source"]), re.DOTALL))
    assert len(seen) > 200
    for block, line in seen:
        shown = mathml.shown(block or line, bool(block))
        assert shown.startswith("<math") and "\\" not in shown, block or line


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 700,
        r"\sqrt{" * 200 + "}" * 200,
        "a_b_c",
        r"\left(",
        r"\def\a{xx}\def\b{\a\a}\b",
        "x" * 2000,
        "\\" * 999,
        "",
    ],
    ids=["open", "deep", "twice", "unclosed", "defines", "long", "backslashes", "empty"],
)
def test_a_formula_that_is_none_is_shown_as_it_was_written(tex: str):
    started = time.process_time()
    shown = mathml.shown(tex)
    assert busy.within(time.process_time() - started, 1)
    assert page_checks.faults_of_html(f"<!DOCTYPE html><title>t</title><p>{shown}") == []
    assert shown.startswith('<code class="tex">') or "<script" not in shown


HOLD = {"msub": 2, "msup": 2, "munder": 2, "mover": 2, "mfrac": 2, "mroot": 2, "msubsup": 3, "munderover": 3}


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{bmatrix} I & I \end{bmatrix}^\mathsf{T}",
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}_{ij}^2",
        r"\binom{n}{k}^\begin{bmatrix} \binom{n}{k}' \end{bmatrix}",
        r"\begin{cases} 1 \end{cases}^2 \begin{matrix} 1 \end{matrix}_1",
        r"\frac\begin{bmatrix} 1 \end{bmatrix}{\dbinom nk^2}",
    ],
)
def test_a_matrix_to_a_power_is_one_thing_with_an_exponent(tex: str):
    shown = ElementTree.fromstring(mathml.shown(tex))
    scripts = [element for element in shown.iter() if element.tag in HOLD]
    assert scripts and all(len(element) == HOLD[element.tag] for element in scripts)
    assert not any(element.tag == "mo" and element.text in "[(" for script in scripts for element in script)


@pytest.mark.parametrize("wrapped", [r"\phantom{%s}", r"\raise{1em}{%s}", r"\boxed{%s}", r"\frac{1}{%s}"])
def test_a_formula_for_which_a_browser_takes_seconds_is_not_drawn(wrapped: str):
    def nested(levels: int) -> str:
        return functools.reduce(lambda inner, _: wrapped % inner, range(levels), "x")

    assert mathml.shown(nested(8)).startswith("<math")  # twice as deep as what anybody writes
    for levels in (60, 100):  # a formula of 148 takes Chromium 2 s, and a page may hold hundreds
        assert mathml.shown(nested(levels)).startswith('<code class="tex">')


@pytest.mark.parametrize(
    "tex",
    [
        r"\rule{0em}{9999999em} x",  # a page of 33 million pixels, below which a browser shows nothing
        r"\hspace{9999999em} x",
        r"\rule{9999999px}{999pc}",
        r"\hspace{ 9999Em}",
        r"\rule{0em}{19em}",  # of which 75 stand in a formula
    ],
)
def test_no_formula_is_so_large_that_the_rest_of_its_page_is_out_of_reach(tex: str):
    shown = mathml.shown(tex)
    assert shown.startswith("<math") and "9" not in shown


def test_lengths_that_people_write_are_kept():
    shown = mathml.shown(r"\rule{1em}{2.5ex} \hspace{2cm} \hspace{30pt} \Bigg( \xrightarrow{a} \hphantom{b}")
    for length in ("2.5ex", "2cm", "30pt", 'minsize="2.470em"', 'height="-.2em"', 'height="0" depth="0"'):
        assert length in shown


def test_a_formula_is_not_drawn_over_what_stands_above_it():
    """As a box without height would be, which stands on another one that nobody sees."""
    assert 'height="0' not in mathml.shown(r"\smash{5\atop\rule{0em}{9em}}")


def test_a_formula_keeps_no_attribute_and_no_element_but_known_ones():
    shown = mathml.shown(r"\href{javascript:a}{x} \style{color:red}{y} \class{c}{z} \text{<script>} \color{red} w")
    assert set(re.findall(r"</?(\w+)", shown)) <= mathml.ELEMENTS
    assert not re.search(r"javascript|style=|class=|<script", shown)


@pytest.fixture
def nothing_called_by_the_collector() -> Iterator[None]:
    """Hypothesis has Python's collector call it, and a strike that comes meanwhile is lost, until the next one."""
    kept = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = kept


@pytest.mark.usefixtures("nothing_called_by_the_collector")
@pytest.mark.parametrize("before", ["", "x ", "> ", "- ", "# ", "*x* "])
def test_a_tag_of_many_attributes_that_does_not_end_is_text_and_takes_no_time(before: str):
    tag = "<a" + "\ta=b\tc" * 21  # of two million ways to read it mistune would try each, in one call in C
    started = time.thread_time()
    shown = feedback.markdown(before + tag, {})
    assert busy.within(time.thread_time() - started, 0.1)
    assert "&lt;a" in shown and "<a" not in shown


def test_html_in_markdown_is_text_and_what_stands_around_it_is_markdown():
    shown = feedback.markdown("*a* <b>c</b> <!-- d -->\n\n<div>\n\n**e** <https://example.org>\n\n</div>", {})
    assert "<em>a</em> &lt;b&gt;c&lt;/b&gt; &lt;!-- d --&gt;" in shown
    assert "&lt;div&gt;" in shown and "<strong>e</strong>" in shown and 'href="https://example.org"' in shown


def test_a_page_full_of_formulas_stops_drawing_them_in_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PAGE_LIMIT_S", busy.computing(0.3))
    text, resources = r"$\frac{a}{b}$ " * 1400, {}
    started = time.process_time()
    shown = [feedback.markdown(text, resources) for _ in range(20)]
    assert busy.within(time.process_time() - started, 3)
    assert "<math" in shown[0] and "<math" not in shown[-1]


def test_a_text_shows_no_picture_of_far_more_pixels_than_characters_and_none_that_is_not_what_it_says():
    fine, bomb = f"{PNG}{'A' * 960}", f"{base64.b64encode(HEAD + bytes([0, 0, 8, 0] * 2)).decode()}{'A' * 968}"
    assert "<img" in feedback.markdown(f"![one](data:image/png;base64,{fine})", {})
    for other in (bomb, base64.b64encode(b"GIF89a" + bytes(900)).decode()):
        shown = feedback.markdown(f"![one](data:image/png;base64,{other})", {})
        assert "<img" not in shown and "one" in shown


def test_a_text_that_shows_what_it_names_once_thousands_of_times_stands_as_it_was_written():
    picture, link = f"data:image/png;base64,{PNG}" + "A" * 8_960, "https://example.org/" + "a" * 9_000
    for text in (f"[a]: {picture}\n\n" + "![a]" * 2_700, f"[a]: {link}\n\n" + "[a] " * 2_700):
        assert len(feedback.markdown(text, {})) < 2 * len(text)


def test_the_texts_of_a_page_together_become_no_more_html_than_a_page_may_have(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PAGE_CHARS", 3_000)  # one such text has 1,300
    resources = {}
    shown = [feedback.markdown("a *b* " * 100, resources) for _ in range(5)]
    assert [("<em>" in each) for each in shown] == [True, True, False, False, False]


@pytest.mark.usefixtures("nothing_called_by_the_collector")
def test_a_single_text_takes_no_more_time_than_its_page_has(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PAGE_LIMIT_S", 0.5)
    nested, resources = "_*a" * 3_333 + "a*_" * 3_333, {}  # 8 s, in a parser that asks nobody
    started = time.process_time()
    assert feedback.markdown(nested, resources) == f'<pre tabindex="0">{nested}</pre>'
    assert busy.within(time.process_time() - started, 4)
    assert "<em>" not in feedback.markdown("*a* " * 1_000, resources)
    assert "<em>" in feedback.markdown("*a* " * 1_000, {})


@pytest.mark.usefixtures("nothing_called_by_the_collector")
def test_thousands_of_lines_of_spaces_keep_no_page_and_no_formgrader_waiting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PAGE_LIMIT_S", 0.3)
    cells = [new_code_cell("x = 1"), new_code_cell(" \n" * 9_000 + "y = 2")]
    started = time.process_time()
    formgrader, _ = HTMLExporter(config=course_folder.config(REPOSITORY)).from_notebook_node(new_notebook(cells=cells))
    ours = [feedback.code(cell.source, {}) for cell in cells]
    assert busy.within(time.process_time() - started, 6)
    for shown in (formgrader, "".join(ours)):
        assert '<span class="mi">1</span>' in shown and "y = 2</pre>" in shown


def test_a_graded_notebook_that_is_json_with_half_a_character_has_a_page(pages: dict[str, Path]):
    written = json.loads(
        (pages[MALLORY].parents[2] / "autograded" / MALLORY / "attention" / "part05.ipynb").read_text()
    )
    assert "\ud800" in graded_class.cell(written, "-answer")["source"]
    assert "\ufffd" in (pages[MALLORY] / "part05.html").read_text(encoding="utf-8")


ACCENTS, TURNS = "\u0301" * 60_000, "a\u05d0" * 20_000  # one takes Chromium 11 s, 40,000 of the other 7 s
VOWELS = "\u0e01" + "\u0e47" * 60_000  # on one Thai letter: 8 s


def _formgrader(cells: list) -> str:
    page, _ = HTMLExporter(config=course_folder.config(REPOSITORY)).from_notebook_node(new_notebook(cells=cells))
    return page


def test_no_text_of_a_page_or_of_the_formgrader_holds_what_a_browser_takes_a_minute_for():
    hostile = ("x" + ACCENTS, TURNS, "x" + "\u0e33" * 60_000, "\u200e\u200f" * 20_000, "x" + "&#769;" * 3_000, VOWELS)
    for text in hostile:
        outputs = [new_output("stream", text=text), new_output("display_data", data={"text/html": text})]
        outputs += [new_output("error", ename="E", evalue=text, traceback=[text])]
        cells = [new_code_cell(f"# {text}", outputs=outputs), new_markdown_cell(text), new_markdown_cell(text[:9_000])]
        shown = [_formgrader(cells), feedback.markdown(text[:9_000], {}), feedback.tables(text, {})]
        shown += [feedback.markdown(text, {}), feedback.code(text, {}), student_pages._text(text, "output")]
        for page in shown:
            assert not re.search(r"[\u0300-\u036f\u0e33\u0e47]{31}", page)
            assert page.count("\u05d0") + page.count("\u200f") < 5_000


@pytest.mark.parametrize("between", ["", "\u2060", "\u00ad", "\u200e", "<b></b>", "\u0301</b><b>"])
@pytest.mark.parametrize("sign", ["\u0301", "\U0001f3fd"], ids=["accent", "colour of skin"])
def test_a_row_of_accents_goes_on_after_what_nobody_sees(sign: str, between: str):
    """80,000 accents, with an element after each 30, take Chromium 8 s; 20,000 colours of skin 46 s."""
    text = f"<p>\U0001f44b<b>{(sign * 20 + between) * 100}</b></p>"
    outputs = [new_output("display_data", data={"text/html": text})]
    marked = [feedback.markdown(text, {}), student_pages._text(text, "output")] if "<" not in between else []
    for page in (_formgrader([new_code_cell(outputs=outputs)]), feedback.tables(text, {}), *marked):
        seen = re.sub(r"<[^<>]*>|[\u2060\u00ad\u200e]", "", page)
        assert 0 < max(map(len, re.findall(f"{sign}+", seen))) <= 30
        assert page.count("<b>") == page.count("</b>")


@pytest.mark.parametrize("letter", ["\u0e01", "\u0e81", "\u1000", "\u1780", "\u0628", "\u0640", "\u07ca", "\U0001e922"])
def test_a_script_without_spaces_has_places_at_which_a_line_may_end(letter: str):
    """400,000 letters of Thai without one take Chromium 41 s, four times as long for twice as many; 300,000 of Arabic,
    which join, 12 s."""
    for text in (letter * 20_000, (letter * 3 + "a") * 5_000, f"<b>{letter * 90}</b>" * 200):
        outputs = [new_output("stream", text=text), new_output("display_data", data={"text/html": text})]
        outputs += [new_output("error", ename="E", evalue=text, traceback=[text])]
        cells = [new_code_cell(f"# {text}", outputs=outputs), new_markdown_cell(text[:9_000])]
        shown = [_formgrader(cells), feedback.markdown(text[:9_000], {}), feedback.tables(text, {})]
        shown += [feedback.code(text, {}), student_pages._text(text, "output")]
        for page in shown:
            words = re.split(r"[\s\u200b]+", re.sub(r"<[^<>]*>|&[lg]t;|/?b&gt;", "", page))
            assert max((len(word) for word in words if letter in word), default=0) < 700


def test_a_line_of_letters_that_the_formgraders_fonts_lack_ends_in_time():
    """300,000 letters in Hebrew words, in one line, take Chromium 20 s."""
    for text in ("\u05d0\u05d1\u05d2 " * 20_000, "\U00010400" * 60_000, "a\u0431\u03b1\u4e00" * 20_000):
        outputs = [new_output("stream", text=text), new_output("display_data", data={"text/html": text})]
        page = _formgrader([new_code_cell(outputs=outputs)])
        for shown in (page, student_pages._text(text, "output"), feedback.tables(text, {})):
            assert max(map(len, (line for line in shown.split("\n") if not line.isascii()))) < 23_000
            assert text[:3_000] in shown


def test_of_an_error_whose_lines_end_anywhere_only_its_start_is_shown():
    error = new_output("error", ename="E", evalue="\u07ca" * 9_000, traceback=["all " + "\u07ca" * 9_000])
    said, trace = student_pages._output(error, "own", course.PARTS[3], {}).split("<details>")
    assert said.count("\u07ca") < 2_000 and trace.count("\u07ca") == 9_000


@pytest.mark.parametrize("text", ["a" + "\n" * 900_000 + "b", "a" + "\r" * 9_000 + "b", "a\n\n" * 9_000])
def test_empty_lines_don_t_put_what_comes_below_them_out_of_reach(text: str):
    """A page is at most 33 million pixels high; what would be lower is all at its end."""
    outputs = [new_output("stream", text=text), new_output("error", ename="E", evalue=text, traceback=[text])]
    cell = new_code_cell(f'"""{text[:40_000]}"""', outputs=outputs)
    for shown in (_formgrader([cell]), student_pages._text(text, "output"), feedback.code(text[:40_000], {})):
        assert "\r" not in shown and not re.search(r"a\n\n", shown)
        assert shown.count("\n") < 60_000


@pytest.mark.parametrize(
    "text", ["step\n\nloss 0.5\n\n\n" * 1_000 + "end", "1\n" * 5_000 + "end", "a" + "\n" * 99 + "b"]
)
def test_lines_that_people_print_stay_as_they_are(text: str):
    assert text in student_pages._text(text, "output")


@pytest.mark.parametrize(
    "text",
    [
        "\u05e9\u05dc\u05d5\u05dd, \u05e2\u05d5\u05dc\u05dd " * 1_400,
        "\u05d4\u05de\u05d5\u05d3\u05dc MyMHA \u05de\u05e9\u05ea\u05de\u05e9 \u05d1-D_qk " * 300,
        "\u0645\u064f\u062f\u064e\u0631\u0651\u0650\u0633\u064c " * 900,
        "Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308algo " * 500,
        "\u0e19\u0e49\u0e33 " * 2_000,
        "\u0e20\u0e32\u0e29\u0e32" * 100 + " " + "\u0e44\u0e17\u0e22" * 100,
        "\u1ec7 e\u0323\u0302 \u092e\u0948\u0902 " * 1_000,
        "\U0001f44b\U0001f3fd\U0001f469\U0001f3fe\u200d\U0001f4bb\u0645\u06cc\u200c\u0631\u0648\u062f " * 300,
        f"é {'-' * 90}",
    ],
    ids=[
        "Hebrew",
        "Hebrew and names",
        "Arabic with vowels",
        "accents for fun",
        "Thai",
        "long Thai",
        "Vietnamese and Hindi",
        "waving hands and Persian",
        "a line of hyphens",
    ],
)
def test_what_people_write_is_shown_as_they_wrote_it(text: str):
    assert text.strip() in feedback.markdown(text, {}) and text.strip() in student_pages._text(text, "output")
