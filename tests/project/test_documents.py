"""The documents are whole: the README is short, tables name what is there, and every link leads somewhere."""

import json
import re
import runpy
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from documents import DOCS, README, ROOT, SECURITY, each_page, prose, rows, text

from attention import course
from grading.__main__ import COMMANDS

README_LINES = 90


# --- what is listed


def test_the_readme_is_short():
    assert len(text(README).splitlines()) <= README_LINES


def test_the_table_of_packages_names_each_one_once():
    named = [first.strip("`") for first, _ in rows(DOCS / "architecture.md", "What is where")]
    engine = [f"grading/{path.parent.name}/" for path in (ROOT / "grading").glob("*/__init__.py")]
    assert sorted(named) == sorted(["attention/", "dev/", *engine])


def test_the_listing_names_each_folder_once():
    made = {"demo", "site", "work", "submitted", "feedback", "node_modules"}  # by commands, and ignored by git
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}
    named = [name for first, _ in rows(README, "Where everything is") for name in re.findall("`(.*?)/`", first)]
    assert sorted(named) == sorted(there - made)


def test_the_table_of_parts_is_the_course_s():
    found = rows(DOCS / "students.md", "The fourteen parts")
    parts = course.PARTS.values()
    assert found == [[str(p.number), p.title, str(p.points), str(p.by_hand or "")] for p in parts]
    automatic, by_hand = sum(p.automatic for p in parts), sum(p.by_hand for p in parts)
    assert f"The tests give {automatic} of the {automatic + by_hand} points." in text(DOCS / "students.md")
    assert f"the other {by_hand}." in text(DOCS / "students.md")
    read = [str(p.number) for p in parts if p.by_hand]
    said = f"points are for written answers, in parts {', '.join(read[:-1])} and {read[-1]}."
    said = f"{by_hand} of the {automatic + by_hand} {said}"
    assert said in " ".join(text(DOCS / "instructors.md").split())


def targets() -> set[str]:
    """What `make` can be asked for."""
    named = re.findall(r"(?m)^([a-z][a-z ]*):(?!=)", text(ROOT / "Makefile"))
    return {name for names in named for name in names.split()}


def test_every_target_of_make_is_in_the_table_of_commands_and_no_other():
    (phony,) = re.findall(r"(?m)^\.PHONY: (.*)$", text(ROOT / "Makefile"))
    listed = [re.fullmatch(r"`make (\w+)`", first)[1] for first, *_ in rows(DOCS / "developers.md", "Commands")]
    assert sorted(listed) == sorted(targets()) == sorted(phony.split())


def test_options_in_args_reach_every_command_that_takes_some():
    recipes = re.findall(r"(?m)^([a-z][a-z ]*):(?!=).*\n\t(.*)$", text(ROOT / "Makefile"))
    without = {name for names, recipe in recipes if "$(ARGS)" not in recipe for name in names.split()}
    assert without == {"demo", "gpu", "site"}


def test_each_file_of_requirements_is_installed_by_the_targets_that_are_said():
    words = {"students": "requirements.txt", "grading": "requirements-grading.txt", "tests": "requirements-tests.txt"}
    needed = {file: set() for file in words.values()}
    for names, who in re.findall(r"(?m)^([a-z][a-z ]*): \.venv/(\w+)\.ready$", text(ROOT / "Makefile")):
        needed[words[who]] |= set(names.split())
    said = rows(DOCS / "developers.md", "What gets installed")
    assert {file.strip("`"): set(re.findall(r"`(?:make )?(\w+)`", by)) for file, _, by in said} == needed


@each_page
def test_every_command_that_a_page_names_exists(page: Path):
    assert set(re.findall(r"(?:`| {4})make ([a-z]+)", text(page))) <= targets()
    scripts = re.findall(r"python ((?:benchmarks|docs)/\w+\.py)", text(page))
    assert [name for name in scripts if not (ROOT / name).exists()] == []


# --- what is linked


def slug(heading: str) -> str:
    """The anchor that the forge gives a heading."""
    shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    found: set[str] = set()
    for heading in re.findall(r"(?m)^#{1,6} (.*)$", prose(page)):
        name, again = slug(heading), 0
        while (each := f"{name}-{again}" if again else name) in found:
            again += 1
        found.add(each)
    return found


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, but for those to other sites."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [link for link in found if not link.startswith(("http:", "https:", "mailto:"))]


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    out = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        there = target.is_relative_to(ROOT) and target.exists()
        if not there or (anchor and (target.suffix != ".md" or anchor not in anchors(target))):
            out.append(link)
    return out


@each_page
def test_every_link_and_anchor_leads_somewhere(page: Path):
    assert broken(page) == []


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# What's `here`?\n\n## Twice\n\n## Twice\n", encoding="utf-8")
    good = ["other.md", "other.md#whats-here", "other.md#twice-1", "#one", "https://example.org/#x"]
    bad = ["none.md", "other.md#nowhere", "#two", "../outside.md", "other.md#twice-2"]
    page = tmp_path / "page.md"
    shown = "\n\n".join(f"[x]({link})" for link in [*good, *bad])
    page.write_text(f"# One\n\n{shown}\n\n    [in code](none-either.md)\n", encoding="utf-8")
    assert broken(page) == bad


def reached(page: Path, found: set[Path]) -> set[Path]:
    """The files that links lead to from a page, from the pages that it links to, and so on."""
    for link in links(page):
        path = link.partition("#")[0]
        target = (page.parent / path).resolve() if path else page
        if target not in found:
            found.add(target)
            if target.suffix == ".md" and target.exists():
                reached(target, found)
    return found


def test_every_file_of_docs_is_linked_from_the_readme_or_from_a_page_that_is():
    found = reached(README, {README})
    there = [path for path in DOCS.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert [path.relative_to(ROOT) for path in there if not found & {path, *path.parents}] == []
    assert SECURITY in found


OURS = r"(?:attention|benchmarks|dev|docs|grading|notebooks|release|source|tests)/[\w./*-]*|[\w-]+\.(?:md|toml)"


@each_page
def test_every_path_of_ours_that_a_page_names_exists(page: Path):
    named = {name.replace("NN", "*") for name in re.findall(rf"`({OURS})`", prose(page))}
    places = {ROOT, page.parent}
    lost = [name for name in named if not any(list(place.glob(name.rstrip("/"))) for place in places)]
    assert [name for name in lost if name not in ("tests/web/artefacts/",)] == []  # which a test makes


# --- the picture of the packages


@pytest.fixture(scope="module")
def picture() -> dict[str, Callable]:
    """What docs/architecture.py defines."""
    return runpy.run_path(str(DOCS / "architecture.py"))


def description(png: bytes) -> str:
    """The text that a PNG file carries under the name Description."""
    at, texts = len(b"\x89PNG\r\n\x1a\n"), {}
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"tEXt":
            name, _, value = png[at + 8 : at + 8 + size].partition(b"\0")
            texts[name] = value.decode("latin-1")
        at += size + 12
    return texts[b"Description"]


def test_the_picture_shows_the_packages_layers_and_imports_of_today(picture: dict):
    shown = json.loads(description((DOCS / "architecture.png").read_bytes()))
    assert shown == picture["drawn"](), "run `python docs/architecture.py`"


def test_the_picture_has_a_box_for_each_package_and_its_layers_are_whole(picture: dict):
    assert sorted([*picture["LABELS"], "dev"]) == picture["packages"]()
    engine = {name for layer in picture["layers"]() for name in layer}
    assert engine == {name for name in picture["packages"]() if name.startswith("grading.")} | {"grading.__main__"}


def test_the_picture_names_each_command(picture: dict):
    assert {"autograde", *picture["USED"]} == set(COMMANDS)  # the other name of `grade`


def test_what_the_picture_says_of_arrows_that_it_leaves_out_is_so(picture: dict):
    pairs = picture["imports"]()
    standing = {a for a, b in pairs if b == "grading.core"}
    assert [name for name in picture["LABELS"] if name not in {*standing, "grading.core"}] == []
    order = {name: n for n, layer in enumerate(picture["layers"]()) for name in layer}
    engine = [(a, b) for a, b in pairs if a in order and b in order]
    assert len(engine) > 20 and [(a, b) for a, b in engine if order[a] > order[b]] == []


# --- how it is written


@each_page
def test_no_paragraph_stands_twice_and_nothing_is_left_to_fill_in(page: Path):
    paragraphs = [" ".join(paragraph.split()) for paragraph in text(page).split("\n\n")]
    assert not {p for p in paragraphs if len(p) > 60 and paragraphs.count(p) > 1}
    assert "@@" not in text(page) and "TODO" not in text(page)
