"""The first page, start.ipynb: its map is the course's, its links lead somewhere, its picture shows what it says."""

import json
import re

import course_module
import matplotlib.pyplot as plt
import pytest

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY

STEPS = ("source", "release", "notebooks")
CODA = "coda"  # comes after the parts


def cells(step: str = "source") -> dict[str, dict]:
    path = REPOSITORY / step / COURSE.name / "start.ipynb"
    return {cell["id"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


def text(name: str) -> str:
    return "".join(cells()[name]["source"])


def everything() -> str:
    return "\n\n".join("".join(cell["source"]) for cell in cells().values())


def test_it_is_the_first_notebook_of_those_that_are_no_parts():
    assert COURSE.others[0] == "start"


def test_the_map_lists_every_part_with_its_title_and_points():
    rows = re.findall(r"(?m)^\| (\d+) \| \[(.*?)\]\((.*?)\.ipynb\) \| \d+ \| (.*?) \|$", text("start-map"))
    points = [f"{p.automatic} + {p.by_hand}" if p.by_hand else f"{p.automatic}" for p in COURSE.parts]
    assert rows == [(str(p.number), p.title, p.stem, n) for p, n in zip(COURSE.parts, points, strict=True)]
    automatic, by_hand = (sum(getattr(p, name) for p in COURSE.parts) for name in ("automatic", "by_hand"))
    assert f"{COURSE.points} points: {automatic} from tests and {by_hand} from graders" in text("start-map")


def test_the_hours_are_the_sum_of_the_minutes():
    minutes = re.findall(r"(?m)^\| \d+ \| \[.*?\]\(.*?\) \| (\d+) \|", text("start-map"))
    assert len(minutes) == len(COURSE.parts) and round(sum(map(int, minutes)) / 60) == 9
    assert "about nine hours" in text("start-map")


def test_the_minutes_are_those_that_instructors_plan_with():
    said = re.findall(r"(?m)^\| (\d+) \| \[(.*?)\]\(.*?\) \| (\d+) \|", text("start-map"))
    page = (REPOSITORY / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^\| (\d+) \| (.*?) \| (\d+) \|$", page) == said


def test_its_links_lead_to_the_parts_and_the_coda():
    assert set(re.findall(r"\]\((.*?)\.ipynb\)", everything())) == {*COURSE.stems, CODA}


def test_other_notebooks_find_these_headings():
    headings = re.findall(r"(?m)^## (.*)$", everything())
    assert [name for name in headings if name in ("House rules", "Notation", "Glossary")] == [
        "House rules",
        "Notation",
        "Glossary",
    ]


def test_the_glossary_is_in_order_and_names_parts_that_there_are():
    rows = re.findall(r"(?m)^\| ([^|]+) \| [^|]+ \| (\d+) \|$", text("start-glossary"))
    words = [word for word, _ in rows]
    assert len(rows) > 15 and words == sorted(words)
    assert {int(part) for _, part in rows} <= set(course.PARTS)


@pytest.mark.parametrize("step", STEPS)
def test_its_cells_are_locked_and_worth_nothing(step: str):
    for name, cell in cells(step).items():
        meta = cell["metadata"]["nbgrader"]
        assert (meta["grade"], meta["solution"], meta["locked"], meta["grade_id"]) == (False, False, True, name)
        assert "points" not in meta


@pytest.mark.parametrize("step", STEPS[1:])
def test_what_is_made_of_it_has_the_sources_of_today(step: str):
    made, ours = ([(name, cell["source"]) for name, cell in cells(each).items()] for each in (step, "source"))
    assert made == ours, f"{step}/…/start.ipynb is stale: run `make release`"


def test_the_solved_one_shows_the_picture_with_a_description():
    outputs = cells("notebooks")["start-picture"]["outputs"]
    (alt,) = [o["metadata"]["image/png"]["alt"] for o in outputs if "image/png" in o.get("data", {})]
    assert "12 circles" in alt and "one box, read by all heads" in alt


def test_the_picture_counts_what_is_kept(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    plt.switch_backend("agg")
    shown = []
    start = course_module.named("start")
    monkeypatch.setattr(start, "show", lambda figure, alt: shown.append((figure, alt)))
    start.draw_overview(H=4, G=2, d=8, r=12)  # 2·4·8, 2·2·8 and 12 numbers
    assert re.findall(r"(\w+) keeps +(\d+) numbers", capsys.readouterr().out) == [
        ("MHA", "64"),
        ("GQA", "32"),
        ("MLA", "12"),
    ]
    ((figure, _),) = shown
    assert min(text.get_fontsize() for panel in figure.axes for text in [*panel.texts, panel.title]) >= 9
    assert [len(panel.patches) for panel in figure.axes] == [4 + 4, 4 + 2, 4 + 1]
    plt.close(figure)
