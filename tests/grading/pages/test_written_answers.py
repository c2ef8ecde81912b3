"""nbgrader's page for marking by hand, as the course's configuration makes it, in a browser."""

import json
from pathlib import Path

import graded_class
import nbformat
import nbgrader
import page_checks
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from attention import course
from dev.packages import REPOSITORY
from grading.gradebook import course_folder

STATIC = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "static"
STYLES = ("node_modules/bootstrap/dist/css/bootstrap.min.css", "css/formgrade.css")
# As high as 4,400 usual ones, which a browser takes fifty times as long to lay out.
HEADINGS, HIGH = "<h1>x" * 88, "h1 { height: 3000px }"


def _page(*cells: dict) -> str:
    """The page of part 3 with some cells of a student's own, and nbgrader's styles in it."""
    config = Config(
        {"HTMLExporter": {"template_name": "formgrade", "extra_template_basedirs": [handlers.template_path]}}
    )
    config.merge(course_folder.config(REPOSITORY))
    notebook = nbformat.reads(json.dumps(graded_class.solved(course.PARTS[3])), as_version=4)
    notebook.cells[1:1] = cells
    named = ("assignment_id", "notebook_id", "submission_id", "base_url", "mathjax_url", "first_name", "last_name")
    resources = dict.fromkeys(named, "") | {"index": 0, "total": 1}
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook, resources=resources)
    styles = "".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    return page.replace("</head>", f"<style>{styles}{HIGH}</style></head>")


def test_the_points_of_a_test_stay_in_reach_below_whatever_a_student_shows(tmp_path: Path):
    """A page is at most 33,554,432 pixels high, and what would be lower is all at its end."""
    outputs = [new_output("display_data", data={"text/html": HEADINGS}) for _ in range(134)]  # 3 MB
    text = new_markdown_cell("> a\n\n" * 3_000)
    (tmp_path / "page.html").write_text(_page(new_code_cell("1", outputs=outputs), text), encoding="utf-8")
    with page_checks.window() as window, window.page(tmp_path / "page.html", width=1400) as page:
        points = page.locator("input.score").last
        points.scroll_into_view_if_needed()
        points.fill("3", timeout=20_000)
        assert page.evaluate("document.documentElement.scrollHeight") < 100_000
