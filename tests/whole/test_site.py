"""The web edition as `make site` makes it, in a real browser: whole, readable for all, and nothing hidden in it."""

import functools
import hashlib
import http.server
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import browser
import course_secrets
import page_checks
import pytest
from playwright.sync_api import Page

from attention.course import COURSE
from dev import site, voice
from dev.packages import REPOSITORY

RELEASE = REPOSITORY / "release" / COURSE.name
PHONE = {"width": 390, "height": 844}
# What a page holds, once all that is folded is open. Text in code may have signs of TeX, other text may not.
SEEN = r"""() => {
    document.querySelectorAll('details').forEach(each => each.open = true);
    document.querySelectorAll('img').forEach(each => each.loading = 'eager');
    const sized = each => { const box = each.getBoundingClientRect(); return Math.min(box.width, box.height); };
    const walker = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
    const text = [];
    while (walker.nextNode())
        if (!walker.currentNode.parentElement.closest('pre, code, script')) text.push(walker.currentNode.data);
    return {
        formulas: [...document.querySelectorAll('math')].map(each => [each.textContent, sized(each)]),
        unfinished: document.querySelectorAll('merror, code.tex').length,
        pictures: [...document.querySelectorAll('article img')].map(
            each => [each.alt, each.complete && each.naturalWidth, sized(each)]),
        links: [...document.querySelectorAll('a[href]')].map(each => each.href),
        names: [...document.querySelectorAll('[id]')].map(each => each.id),
        text: text.join(' '),
        over: [...document.querySelectorAll('.content')].map(each => each.scrollWidth - each.clientWidth),
    };
}"""


@dataclass
class Visit:
    """What a browser found on all pages, by their paths; `errors` and `foreign` are of all of them together."""

    seen: dict[str, dict] = field(default_factory=dict)
    wide: dict[str, list[str]] = field(default_factory=dict)
    hard: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The web edition, made once."""
    made = tmp_path_factory.mktemp("web") / "site"
    site.make(made)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Where the web edition is served."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Keeps each request out of the tests' output."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def opened(address: str) -> Iterator[browser.Browser]:
    with browser.opened(**PHONE) as running:
        yield running


@pytest.fixture(scope="module")
def visit(folder: Path, address: str, opened: browser.Browser) -> Visit:
    """Every page, opened on a phone; half of them in the dark."""
    found, page = Visit(errors=opened.errors, foreign=opened.foreign), opened.page()
    page.on("console", lambda message: message.type == "error" and opened.errors.append(message.text))
    for number, path in enumerate(sorted(folder.rglob("*.html"))):
        name = path.relative_to(folder).as_posix()
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        page.goto(address + name, wait_until="networkidle")
        found.seen[name] = page.evaluate(SEEN)
        found.wide[name] = page_checks.too_wide(page)
        found.hard[name] = page_checks.hard_to_use(page)
    page.close()
    return found


def pages(visit: Visit, *stems: str) -> list[dict]:
    return [visit.seen[f"{stem}.html"] for stem in stems]


def test_there_is_a_page_for_each_notebook_and_each_document(visit: Visit):
    documents = {Path(name).with_suffix(".html").as_posix() for name in site.DOCUMENTS}
    notebooks = {f"{path.stem}.html" for path in RELEASE.glob("*.ipynb")}
    assert visit.seen.keys() == {"index.html", "search.html"} | documents | notebooks
    for name in ("docs/students.html", "docs/instructors.html", "docs/teaching.html"):
        assert name in documents


def test_no_page_breaks_or_asks_another_host_for_anything(visit: Visit):
    assert visit.errors == [] and visit.foreign == []


def test_every_page_fits_on_a_phone(visit: Visit):
    assert {name: wide for name, wide in visit.wide.items() if wide} == {}
    assert {name: seen["over"] for name, seen in visit.seen.items() if seen["over"] != [0]} == {}  # it would scroll


def test_no_page_is_hard_to_use_without_eyes_or_a_mouse(visit: Visit):
    assert {name: hard for name, hard in visit.hard.items() if hard} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_wide_pages_with_all_their_lists_are_as_easy_to_use(address: str, opened: browser.Browser, scheme: str):
    page = opened.page()
    page.set_viewport_size({"width": 1400, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for name in ("index", "part13", "docs/instructors", "search"):
        page.goto(f"{address}{name}.html", wait_until="networkidle")
        assert page_checks.hard_to_use(page) == [] and page_checks.too_wide(page) == [], name
    page.close()


def test_every_formula_is_drawn_and_none_is_left_as_tex(visit: Visit):
    for name, seen in visit.seen.items():
        assert seen["unfinished"] == 0, name
        assert [text for text, size in seen["formulas"] if not text or "\\" in text or size < 3] == [], name
        assert "\\" not in seen["text"] and "$" not in seen["text"], name
    for stem in site.NOTEBOOKS[1:-1]:
        assert len(visit.seen[f"{stem}.html"]["formulas"]) > 20, stem


def test_every_picture_of_the_solved_notebooks_is_seen_with_its_words(visit: Visit):
    for stem in site.NOTEBOOKS:
        solved = json.loads((REPOSITORY / "notebooks" / COURSE.name / f"{stem}.ipynb").read_text("utf-8"))
        outputs = [
            (cell["id"], output["metadata"]["image/png"]["alt"])
            for cell in solved["cells"]
            for output in cell.get("outputs", [])
            if "image/png" in output.get("data", {})
        ]
        expected = [alt for cell, alt in outputs if cell not in site.SHOWS_ITS_ANSWER]
        assert [alt for alt, *_ in visit.seen[f"{stem}.html"]["pictures"]] == expected
        assert outputs, stem
    for name, seen in visit.seen.items():
        assert [alt for alt, width, size in seen["pictures"] if not alt or not width or size < 40] == [], name


def test_a_picture_that_shows_the_answer_is_not_there(folder: Path, visit: Visit):
    there = {hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*.png")}
    for cell in site.SHOWS_ITS_ANSWER:
        stem = cell.partition("-")[0]
        solved = site._read("notebooks", stem)["cells"]
        drawn = [picture for each in solved if each["id"] == cell for picture in site._pictures(each)]
        assert len(drawn) == 1 and hashlib.sha256(drawn[0][0]).digest() not in there
        assert "this page has no picture" in visit.seen[f"{stem}.html"]["text"]


def test_every_link_leads_somewhere(folder: Path, address: str, visit: Visit):
    lost = []
    for name, seen in visit.seen.items():
        for link in seen["links"]:
            target, anchor = urldefrag(link)
            parts = urlsplit(target)
            if not target.startswith(address):
                assert parts.scheme in ("https", "mailto") and (parts.netloc or parts.path), f"{name}: {link}"
                continue
            path = unquote(parts.path).lstrip("/")
            there = (folder / path).is_file()
            if not there or (anchor and unquote(anchor) not in ["", *visit.seen[path]["names"]]):
                lost.append(f"{name}: {link}")
    assert lost == []


def test_the_notebooks_lead_from_the_start_through_all_parts_to_the_coda(address: str, visit: Visit):
    stems = site.NOTEBOOKS
    for stem, following in zip(stems, stems[1:], strict=False):
        assert f"{address}{following}.html" in visit.seen[f"{stem}.html"]["links"]


def test_the_button_of_each_notebook_s_page_gives_the_release_s_file(folder: Path, address: str, visit: Visit):
    for stem in site.NOTEBOOKS:
        assert f"{address}{stem}.ipynb" in visit.seen[f"{stem}.html"]["links"]
        assert (folder / f"{stem}.ipynb").read_bytes() == (RELEASE / f"{stem}.ipynb").read_bytes()


def test_a_click_on_the_button_saves_the_notebook(address: str, opened: browser.Browser, tmp_path: Path):
    page = opened.page()
    page.goto(f"{address}part07.html")
    with page.expect_download() as saved:
        page.get_by_text("Download this notebook").click()
    assert saved.value.suggested_filename == "part07.ipynb"
    saved.value.save_as(tmp_path / "part07.ipynb")
    assert (tmp_path / "part07.ipynb").read_bytes() == (RELEASE / "part07.ipynb").read_bytes()
    page.close()


def test_the_zip_holds_the_release_and_what_it_needs(folder: Path, tmp_path: Path):
    with zipfile.ZipFile(folder / site.ZIPPED) as zipped:
        zipped.extractall(tmp_path)
    unpacked, ignored = tmp_path / "attention-course", "__pycache__"
    there, given = (
        {
            path.relative_to(root): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and ignored not in path.parts
        }
        for root in (unpacked / COURSE.name, RELEASE)
    )
    assert there == given
    for name in ("requirements.txt", "requirements-cuda.txt"):
        assert (unpacked / name).read_bytes() == (REPOSITORY / name).read_bytes()


def colours(page: Page) -> list[str]:
    return page.evaluate("[getComputedStyle(document.body)].map(s => s.backgroundColor + ' ' + s.color)")


def test_pages_are_light_or_dark_as_the_system_is_and_by_the_button(address: str, opened: browser.Browser):
    page, seen = opened.page(), {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{address}part05.html")
        seen[scheme] = colours(page)
        browser.photograph(page, f"site-{scheme}")
    assert seen["light"] != seen["dark"]
    page.get_by_label("Toggle Light / Dark / Auto color theme").locator("visible=true").click()
    assert colours(page) == seen["light"]
    page.evaluate("localStorage.clear()")
    page.close()


def test_a_search_finds_pages_by_a_word(address: str, opened: browser.Browser):
    page = opened.page()
    page.goto(f"{address}search.html?q=latent")
    page.locator("#search-results li a").first.wait_for()
    browser.expect(page.locator("#search-results .search-summary")).to_contain_text("found")
    links = page.locator("#search-results li a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert any(link.startswith("part09.html") for link in links)
    page.close()


def test_the_pages_work_without_a_server(folder: Path, opened: browser.Browser):
    page, before = opened.page(), list(opened.errors)
    page.goto((folder / "part09.html").as_uri())
    seen = page.evaluate(SEEN)
    assert len(seen["formulas"]) > 20 and all(size > 3 for _, size in seen["formulas"])
    assert opened.errors == before
    page.close()


def test_a_search_works_without_a_server(folder: Path, opened: browser.Browser):
    page = opened.context.new_page()  # excerpts of pages can't be read without a server, which the console reports
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto((folder / "part03.html").as_uri())
    page.get_by_placeholder("Search").fill("latent")
    page.keyboard.press("Enter")
    page.locator("#search-results li a").first.click()
    browser.expect(page.locator("article h1")).to_be_visible()
    page.close()


# --- what is hidden stays hidden


def test_no_solution_no_hidden_test_and_no_written_answer_is_in_any_file(folder: Path):
    assert course_secrets.given_away(folder) == []


def test_what_is_given_away_is_found_wherever_it_stands(tmp_path: Path):
    shown = "<span>r_MLA</span> <span>=</span> <span>G</span> <span>*</span> <span>d</span>"
    (tmp_path / "part09.html").write_text(f"<pre>{shown}</pre>")
    (tmp_path / "searchindex.js").write_text("terms: sheet.total()")
    (tmp_path / "part06.ipynb").write_text(json.dumps({"cells": [{"source": ['rank_relation = "=="']}]}))
    (tmp_path / "docs.html").write_text("<p>A name for the claim, not a <em>reason</em></p><p>Stacking adds nothing.")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as zipped:
        zipped.writestr("part08.py", "G_for_MHA = H\n")
    (tmp_path / "harmless.txt").write_text("def stack_and_pick(H, G, d):\n    raise NotImplementedError()")
    assert {each.partition(": ")[0] for each in course_secrets.given_away(tmp_path)} == {
        "part09.html",
        "searchindex.js",
        "part06.ipynb",
        "docs.html",
        "all.zip/part08.py",
    }


def test_a_page_made_from_a_solved_notebook_would_be_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(site, "_read", lambda _, stem, read=site._read: read("notebooks", stem))
    site.prepare(tmp_path / "pages")
    found = course_secrets.given_away(tmp_path / "pages")
    for stem in site.NOTEBOOKS[1:]:
        assert any(each.startswith(f"{stem}.ipynb: ") for each in found), stem


def test_every_part_has_secrets_that_are_looked_for():
    assert len(course_secrets.pieces()) > 400


# --- how it is made


def test_what_the_pages_say_is_in_the_course_s_voice():
    own = (REPOSITORY / "docs" / "site" / "index.md").read_text(encoding="utf-8")
    for text in (own, site.INSTEAD, site.NOT_SHOWN, site.SPOILER):
        assert voice.found(text) == []


def test_a_link_to_what_is_no_page_becomes_text_and_a_section_is_left_out(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(site, "REPOSITORY", tmp_path)
    (tmp_path / "docs").mkdir()
    links = "[a](instructors.md#x) [b](developers.md) [c](https://example.org) [d](#here)"
    (tmp_path / "docs" / "students.md").write_text(f"{links}\n\n## Written answers\n\nA lot.\n\n## End\n")
    kept = "[a](instructors.md#x) b [c](https://example.org) [d](#here)"
    expected = f"{kept}\n\n## Written answers\n\n{site.INSTEAD}\n\n## End\n"
    assert site._document("docs/students.md", tmp_path) == expected


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path, capfd: pytest.CaptureFixture):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("# Title\n\n[lost](nowhere.md)\n")
    with pytest.raises(site.errors.CourseError, match="Sphinx could not"):
        site._build(pages, tmp_path / "made")
    assert "nowhere" in capfd.readouterr().err
    shutil.rmtree(tmp_path / "made", ignore_errors=True)
