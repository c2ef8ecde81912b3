"""What README.md shows and refers to is there: the sample report, the links, each paragraph once."""

import re
from pathlib import Path

import pytest
from hand_written import notebook

from grading import course, courses, far, judge, probe, sample_class

README = courses.REPOSITORY / "README.md"
SAMPLE = sample_class.ANSWERS / "part03" / "06-forgot-the-root.py"


class Here:
    """A door to names in this process."""

    def __init__(self, names: dict) -> None:
        self.names = names

    def ask(self, request: bytes, limit_s: float) -> bytes:
        return far.answer(request, self.names)


def printed() -> str:
    """The report of the sample's answer, as the hidden test of part 3 prints it."""
    part, answer = course.PARTS[3], SAMPLE.read_text(encoding="utf-8")
    source = sample_class.sources(part)
    names = {"__name__": "__main__"}
    exec(source[f"{part.stem}-setup"], names)
    exec(answer, names)
    with notebook(part.stem, answer):
        probe.bind(Here(names))
        try:
            return judge.run_test(source[f"{part.stem}-test"], f"{part.stem}-test", float(part.automatic)).text()
        finally:
            probe.bind(None)


def test_the_sample_report_is_what_the_code_prints():
    text = README.read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"(?:^ {7}\S.*\n| {8,}\S.*\n)+", text, re.MULTILINE) if "Part 3" in block]
    assert [block.split() for block in blocks] == [printed().split()]


@pytest.mark.parametrize("page", [README, *sorted((courses.REPOSITORY / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_no_paragraph_stands_twice_and_nothing_is_left_to_fill_in(page: Path):
    text = page.read_text(encoding="utf-8")
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    assert not {p for p in paragraphs if len(p) > 60 and paragraphs.count(p) > 1}
    assert "@@" not in text and "TODO" not in text


@pytest.mark.parametrize("page", [README, *sorted((courses.REPOSITORY / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_links_to_files_of_the_repository_lead_somewhere(page: Path):
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]


def test_the_table_of_modules_names_each_one_once():
    text = README.read_text(encoding="utf-8")
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([a-z_0-9]+/?)`", row)]
    folder = courses.REPOSITORY / "grading"
    modules = [path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")]
    modules += ["lab/", "templates/", "mistakes"]
    assert sorted(name for name in named if name in modules) == sorted(modules)
