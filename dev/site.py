"""The web edition of the course, a folder of pages that needs no server: `make site` writes it to site/.

Its pages are the release's notebooks and the documents for students and instructors; Sphinx makes them as docs/site/
configures it. Of a solved notebook they show the pictures and the words that stand for them, and nothing else.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from attention.course import COURSE
from dev.packages import CUDA, FILES, REPOSITORY
from grading.core import errors

SITE = REPOSITORY / "site"
CONFIGURED = REPOSITORY / "docs" / "site"
NOTEBOOKS = ("start", *(part.stem for part in COURSE.parts), "coda")
DOCUMENTS = (
    *(f"docs/{name}.md" for name in ("students", "submissions", "instructors", "teaching", "exports", "jupyterhub")),
    *(f"docs/{name}.md" for name in ("scaling", "walls", "performance")),
    "SECURITY.md",
)
ZIPPED = "attention-course.zip"

# Students read these pages too. Of this section the heading stays, because other pages link to it.
LEFT_OUT = "## Written answers"
INSTEAD = "The web edition leaves the sample answers out. They are in `docs/teaching.md` of the course's folder."
# The shapes, matrices, or numbers of heads and of cached numbers that the part asks for.
SHOWS_ITS_ANSWER = tuple(f"part{number:02}-figure" for number in (1, 2, 4, 8, 9, 11, 12))
NOT_SHOWN = (
    "*The picture shows your own answer. A right one would show the solution here, so this page has no picture.*"
)
SPOILER = """\
<details class="picture">
<summary>What a right answer draws: look once you have drawn your own</summary>

{picture}

</details>"""
PICTURE = """\
```{{image}} {path}
---
alt: {alt}
---
```"""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
LONG_AGO = (2000, 1, 1, 0, 0, 0)  # the time of all that is zipped, so that the same files make the same zip


def make(target: Path = SITE) -> None:
    """Writes the web edition to a folder, in place of what a former run wrote there.

    Errors  CourseError if Sphinx warns of anything, such as a link that leads nowhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        pages, made = Path(folder, "pages"), Path(folder, "made")
        print(f"Pages from release/{COURSE.name}/ and docs/", flush=True)
        prepare(pages)
        print("Sphinx", flush=True)
        _build(pages, made)
        print("Notebooks to take along", flush=True)
        _add_notebooks(made)
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(made, target)
    print(f"The web edition is there. Open {target / 'index.html'} in a browser.", flush=True)


def prepare(pages: Path) -> None:
    """Writes what Sphinx reads: notebooks and documents without what the web edition doesn't show."""
    pages.mkdir()
    shutil.copyfile(CONFIGURED / "index.md", pages / "index.md")
    for stem in NOTEBOOKS:
        _write(pages / f"{stem}.ipynb", json.dumps(_notebook(stem, pages)))
    for name in DOCUMENTS:
        _write(pages / name, _document(name, pages))
    _bring(REPOSITORY / "docs" / "overview.png", pages)


def _notebook(stem: str, pages: Path) -> dict:
    """A notebook of the release, with the solved one's pictures below the cells that draw them."""
    given, solved = (_read(folder, stem) for folder in ("release", "notebooks"))
    pictures = {cell["id"]: list(_pictures(cell)) for cell in solved["cells"]}
    cells, answered = [], False
    for cell in given["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _with_anchors("".join(cell["source"]))
        cells.append(cell)
        answered = answered or cell["metadata"].get("nbgrader", {}).get("solution", False)
        for number, (png, alt) in enumerate(pictures[cell["id"]]):
            path = pages / "pictures" / f"{cell['id']}-{number}.png"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(png)
            shown = PICTURE.format(path=path.relative_to(pages), alt=json.dumps(alt))
            if cell["id"] in SHOWS_ITS_ANSWER:
                shown = NOT_SHOWN
                path.unlink()
            elif answered:
                shown = SPOILER.format(picture=shown)
            cells.append({"cell_type": "markdown", "id": path.stem, "metadata": {}, "source": shown})
    return given | {"cells": cells}


def _read(folder: str, stem: str) -> dict:
    return json.loads((REPOSITORY / folder / COURSE.name / f"{stem}.ipynb").read_text(encoding="utf-8"))


def _pictures(cell: dict) -> Iterator[tuple[bytes, str]]:
    """The pictures that a solved cell has drawn, each with the words that stand for it."""
    for output in cell.get("outputs", []):
        if png := output.get("data", {}).get("image/png"):
            yield base64.b64decode("".join(png)), output["metadata"]["image/png"]["alt"]


def _with_anchors(text: str) -> str:
    """A notebook's text, its links to headings as pages have them: JupyterLab keeps capitals, pages don't."""
    return re.sub(r"\]\((\w+\.ipynb#)([^)]*)\)", lambda link: f"]({link[1]}{link[2].lower()})", text)


def _document(name: str, pages: Path) -> str:
    """A document whose links lead to pages of the web edition; other files of the course are named without a link."""
    page = REPOSITORY / name
    text = page.read_text(encoding="utf-8")
    if LEFT_OUT in text:
        kept, _, left_out = text.partition(LEFT_OUT)
        following = left_out.partition("\n## ")[2]
        text = f"{kept}{LEFT_OUT}\n\n{INSTEAD}\n" + (f"\n## {following}" if following else "")

    def linked(link: re.Match) -> str:
        path, target = link[3].partition("#")[0], (page.parent / link[3].partition("#")[0]).resolve()
        if ":" in path or not path or target in [REPOSITORY / each for each in DOCUMENTS]:
            return link[0]
        if link[1]:
            _bring(target, pages)
            return link[0]
        return link[2]

    return LINK.sub(linked, text)


def _bring(path: Path, pages: Path) -> None:
    copied = pages / path.relative_to(REPOSITORY)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copied)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _build(pages: Path, made: Path) -> None:
    """Runs Sphinx, to which each warning is an error."""
    options = ["--quiet", "--fail-on-warning", "--builder", "html", "--conf-dir", CONFIGURED]
    command = [sys.executable, "-m", "sphinx", *options, "--doctree-dir", pages.with_name("doctrees"), pages, made]
    if subprocess.call(command, cwd=REPOSITORY):
        raise errors.CourseError("Sphinx could not make the pages; the lines above say why.")
    shutil.rmtree(made / "_sources", ignore_errors=True)  # made, though nothing is put there


def _add_notebooks(made: Path) -> None:
    """Puts the release next to the pages: each notebook as it is, and all of it with its list of packages as a zip."""
    release = REPOSITORY / "release" / COURSE.name
    for stem in NOTEBOOKS:
        shutil.copyfile(release / f"{stem}.ipynb", made / f"{stem}.ipynb")
    files = {path.relative_to(release.parent): path for path in sorted(release.rglob("*")) if path.is_file()}
    listed = {Path(name): REPOSITORY / name for name in (FILES["students"], CUDA)}
    with zipfile.ZipFile(made / ZIPPED, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, path in (files | listed).items():
            if "__pycache__" not in name.parts:
                zipped.writestr(zipfile.ZipInfo(f"attention-course/{name.as_posix()}", LONG_AGO), path.read_bytes())
