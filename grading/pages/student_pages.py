"""What a student gets back: a page per part and an index, each one file, without scripts, with nothing from elsewhere.

`PageExporter` is what nbgrader's GenerateFeedback makes pages with, by configuration; with a student's last page it
writes the index. Every text is escaped by the templates, unless `feedback` has made HTML of it.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
from markupsafe import Markup, escape
from nbconvert.exporters import Exporter
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from traitlets import default

from grading.core import cells, find_course, limits, pictures, slow_texts
from grading.core.course import Course, Part
from grading.gradebook import results
from grading.pages import feedback, overview, wording
from grading.submission import in_memory, misplaced
from grading.submission.extra_files import SECRET

TEMPLATES = Path(__file__).resolve().parent / "templates"
_IMAGE = '<img src="{}" alt="{}">'
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
# Of an error above its traceback, which has all of it. Its lines end anywhere, and letters of some scripts are measured
# anew for each line: Chromium took 71 s for 600,000 of N'Ko.
_SAID_CHARS = 2_000
# What HTML may not hold; surrogates, which no file can; and marks that turn the direction of what follows them.
_NO_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


@dataclass
class Block:
    """Cells of a page that belong together: the course's own, an answer, checks, a figure."""

    kind: str
    title: str
    folded: bool = False
    cells: list[dict] = field(default_factory=list)


class PageExporter(in_memory.Unread, Exporter):
    """Makes one part's page of a graded notebook, with the last one the index. nbgrader makes an exporter per run."""

    output_mimetype = "text/html"
    _read: tuple[object, list[results.Result]] = (None, [])  # whose results were read last, and these

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict | None = None, **kw: object
    ) -> tuple[str, dict[str, object]]:
        """The page of a graded notebook whose marks nbgrader's preprocessors have filled in."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        student, folder = resources["nbgrader"]["student"], Path(resources["metadata"]["path"])
        course, name = find_course.of(self.config), resources["nbgrader"]["notebook"]
        part, found = course.part_of(name), self._results(course, student, folder, resources["nbgrader"]["db_url"])
        result = next(each for each in found if each.part == part)
        # nbgrader's exchange carries the pages of parts and no other file: there the index would be missing.
        exchanged = (folder / SECRET).exists()
        said = wording.ALONE if self.config.Course.get("alone", False) else wording.IN_CLASS
        page = render(
            "part.html",
            course=course,
            part=part,
            student=student,
            result=result,
            results=found,
            said=said,
            report=result.report,
            blocks=blocks(nb, part, resources),
            index=not exchanged,
        )
        if name == Path(self.parent.notebooks[-1]).stem:
            self._write_index(course, student, found, said, exchanged)
        return page, resources

    def _results(self, course: Course, student: str, folder: Path, address: str) -> list[results.Result]:
        """All parts of a student, read once for all pages of theirs; `folder` holds the graded notebooks."""
        wanted = (student, folder, address)
        if self._read[0] != wanted:
            with Gradebook(address, self.config.CourseDirectory.get("course_id", "")) as opened:
                self._read = wanted, results.read(opened, course, student, folder)
        return self._read[1]

    def _write_index(
        self, course: Course, student: str, found: list[results.Result], said: wording.Setting, exchanged: bool
    ) -> None:
        """Writes what isn't the page of a part; nbgrader sets the permissions of all that is in the folder then."""
        coursedir = self.parent.coursedir
        submitted, pages = (
            Path(coursedir.format_path(step, student, course.name))
            for step in (coursedir.submitted_directory, coursedir.feedback_directory)
        )
        begun = {part.stem for part in course.parts if (submitted / f"{part.stem}.ipynb").exists()}
        others = [] if said is wording.ALONE else misplaced.under_other_names(submitted, course)[: limits.NAMED]
        pages.mkdir(parents=True, exist_ok=True)
        (pages / "index.html").write_text(index(course, student, found, said, begun, others), encoding="utf-8")
        if exchanged:  # nbgrader's exchange shows feedback once every notebook submitted there has a page
            for stem in course.others:
                page = render("other.html", course=course, student=student, stem=stem)
                (pages / f"{stem}.html").write_text(page, encoding="utf-8")


def index(
    course: Course,
    student: str,
    found: list[results.Result],
    said: wording.Setting,
    begun: Collection[str],
    others: Collection[str] = (),
) -> str:
    """A student's index: marks by part, what to look at first, what was not graded.

    `begun` are stems of parts, `others` names of notebooks that are called like none.
    """
    first, more = overview.first(found, said)
    return render(
        "index.html",
        course=course,
        student=student,
        results=found,
        said=said,
        begun=begun,
        won=results.total(found),
        points=sum(r.part.points for r in found),
        unread=[r for r in found if r.unread],
        first=first,
        more=more,
        ungraded=overview.ungraded(found, begun, said, others),
        open=any(r.unread or r.unmarked or (said is wording.ALONE and not r.here) for r in found),
    )


def blocks(nb: NotebookNode, part: Part, resources: dict) -> list[Block]:
    """The cells of a graded notebook in their order, but the tests, whose report stands at the head of the page."""
    made: list[Block] = []
    kinds = [_kind(cell) for cell in nb.cells]
    for place, (cell, kind) in enumerate(zip(nb.cells, kinds, strict=True)):
        if kind == "test":
            continue
        if kind == "course" and "reasoning" in kinds[place + 1 : place + 2]:
            kind = "question"  # what a written answer answers stays in sight
        if not (made and made[-1].kind == kind == "course"):
            made.append(Block(kind, *_TITLES[kind]))
        made[-1].cells.append(_cell(cell, kind, part, resources))
    for block in [block for block in made if block.kind == "course"][1:]:
        block.title = wording.BEYOND if block is made[-1] else wording.MORE
    return made


def render(template: str, **values: object) -> str:
    """A page from one of the templates, every text in it escaped, without characters that no page may hold."""
    return _NO_TEXT.sub("\ufffd", _environment.get_template(template).render(**values))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}" if value == round(value, 2) else f"{value:.2f}"


_environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
)
_environment.globals["texts"] = wording
_environment.globals["css"] = Markup((TEMPLATES / "page.css").read_text(encoding="utf-8"))
_TITLES = {
    "course": (wording.COURSE,),
    "question": (wording.QUESTION,),
    "answer": (wording.ANSWER,),
    "reasoning": (wording.REASONING,),
    "check": (wording.CHECK, True),
    "figure": (wording.FIGURE, True),
    "own": (wording.OWN,),
}


def _kind(cell: NotebookNode) -> str:
    name = cells.name_of(cell)
    role = cells.role(name)  # which several cells of a part may have
    if role in ("answer", "reasoning", "check", "figure", "test"):
        return role
    if cell.metadata.get("nbgrader", {}).get("solution"):
        return "answer"
    return "course" if name else "own"


def _cell(cell: NotebookNode, kind: str, part: Part, resources: dict) -> dict:
    mark = cell.metadata.get("nbgrader", {})
    code = cell.cell_type == "code"
    source = feedback.code(cell.source, resources) if code else feedback.markdown(cell.source, resources, lower=2)
    return {
        "source": source,
        "outputs": [shown for output in cell.get("outputs", []) if (shown := _output(output, kind, part, resources))],
        "comment": feedback.markdown(mark["comment"], resources, lower=3) if mark.get("comment") else None,
        "anchor": "reasoning" if kind == "reasoning" else None,
    }


def _output(output: NotebookNode, kind: str, part: Part, resources: dict) -> Markup | None:
    """One output of a cell: a picture, a table, or text; nothing that runs."""
    if output.output_type == "stream":
        return _text(output.get("text", ""), "output")
    if output.output_type == "error":
        said = _text(f"{output.get('ename', '')}: {output.get('evalue', '')}"[:_SAID_CHARS], "output error")
        trace = _text("\n".join(output.get("traceback", [])), "output")
        return Markup("{}<details><summary>{}</summary>{}</details>").format(said, wording.WHERE, trace)
    data = output.get("data", {})
    for kind_of_picture in pictures.KINDS:  # no SVG: 1 kB, each piece made of ten of the last, holds a browser up
        if picture := _picture(data.get(kind_of_picture), kind_of_picture):
            if kind == "figure":  # as wide as a screen's, so that a phone scrolls it rather than make it tiny
                group = '<div class="wide figure" role="group" tabindex="0" aria-label="figure">{}</div>'
                return Markup(group).format(Markup(_IMAGE).format(picture, wording.picture(part.number)))
            return Markup(f"<p>{_IMAGE}</p>").format(picture, wording.PICTURE_OF_CELL)
    for name, convert in (("text/html", feedback.tables), ("text/markdown", feedback.markdown)):
        if isinstance(data.get(name), str):
            inside = convert(data[name], resources)
            return Markup('<div class="wide" role="group" tabindex="0" aria-label="output">{}</div>').format(inside)
    texts = [data[name] for name in ("text/latex", "text/plain") if isinstance(data.get(name), str)]
    return _text(texts[0], "output") if texts else None


def _picture(data: object, kind: str) -> str | None:
    """A picture as an address that holds all of it; None if it is none."""
    if not isinstance(data, str) or not data:
        return None
    return f"data:{kind};base64,{''.join(data.split())}" if _BASE64.fullmatch(data) else None


def _text(text: str, style: str) -> Markup:
    shown = slow_texts.eased(strip_ansi(text).strip("\n"))
    return Markup('<pre class="{}" tabindex="0">{}</pre>').format(style, shown)


def _ticked(text: str) -> Markup:
    """A message with its names in backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(pieces))


_environment.filters |= {"number": _number, "ticked": _ticked}
