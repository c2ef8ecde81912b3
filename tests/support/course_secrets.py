"""What must stay out of all that students can read: model answers, hidden tests, written answers and their criteria."""

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from attention.course import COURSE
from dev.packages import REPOSITORY

SHORTEST = 12  # characters: shorter lines, such as `return A, B`, anybody may write
SHORTEST_WORDS = 25  # characters, of a piece of a sentence
REGIONS = re.compile(r"(?s)### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1")
BINARY = (".png", ".npz", ".woff2")


def pieces() -> set[str]:
    """The lines and pieces of sentences that only the source has; nothing of them is in the release."""
    found = {"### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"}
    for path in (REPOSITORY / "source" / COURSE.name).glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                lines = "\n".join(region for _, region in REGIONS.findall(source)).splitlines()
                found |= {plain(line) for line in lines if len(plain(line)) >= SHORTEST}
            elif cell["metadata"].get("nbgrader", {}).get("solution"):
                found |= set(words(source))
    found |= set(words((REPOSITORY / "docs" / "teaching.md").read_text("utf-8").partition("## Written answers")[2]))
    released = plain(" ".join(text for _, text in texts(REPOSITORY / "release" / COURSE.name)))
    return {piece for piece in found if piece not in released}


def words(markdown: str) -> Iterator[str]:
    """What a text has between its formulas and signs, in pieces that are long enough to be its own."""
    for piece in re.split(r"\$\$?.*?\$\$?|[*`\n|]", markdown, flags=re.DOTALL):
        if len(short := plain(piece).strip(" .,:;-")) >= SHORTEST_WORDS:
            yield short


def plain(text: str) -> str:
    """A text on one line, with quotation marks as typed."""
    return " ".join(text.translate(str.maketrans("’‘“”", "''\"\"")).split())


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """All texts below a folder, as somebody reads them, with the names of their files; those in zips too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from _read(path.relative_to(folder).as_posix(), path.read_bytes())


def _read(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            for each in zipped.namelist():
                yield from _read(f"{name}/{each}", zipped.read(each))
    elif not name.endswith(BINARY):
        text = data.decode(errors="replace")
        if name.endswith(".ipynb"):
            text = "\n".join(_strings(json.loads(text)))
        elif name.endswith(".html"):
            text = html.unescape(re.sub(r"<[^>]*>", "", text))
        yield name, text


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() if all(isinstance(each, str) for each in value):
            yield "".join(value)
        case dict() | list():
            for each in value.values() if isinstance(value, dict) else value:
                yield from _strings(each)


def given_away(folder: Path) -> list[str]:
    """Which pieces the files below a folder give away, and where."""
    secret = pieces()
    return [
        f"{name}: {piece}"
        for name, text in texts(folder)
        for shown in [plain(text)]
        for piece in secret
        if piece in shown
    ]
