"""What a student hands in: released notebooks with an answer in them, the model's or any other."""

import json
import shutil
from pathlib import Path

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core import errors, names
from grading.core.course import Part

ANSWERS = REPOSITORY / "tests" / "answers"  # by part; the name of each begins with its points
COMPILED = shutil.ignore_patterns("__pycache__")


def released(part: Part) -> dict:
    """The released notebook of a part, as a student gets it."""
    return read(REPOSITORY / "release" / COURSE.name / f"{part.stem}.ipynb")


def model(part: Part) -> dict:
    """A submission of a part's model answer and model reasoning."""
    source = sources(part)
    return submission(part, source[f"{part.stem}-answer"], source.get(f"{part.stem}-reasoning"))


def submission(part: Part, answer: str, reasoning: str | None = None) -> dict:
    """The released notebook of a part with an answer in it; a line `# %%` in the answer begins a cell of its own."""
    notebook = released(part)
    first, *own = _pieces(answer)
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        if cell["id"] == f"{part.stem}-answer":
            cell["source"] = first
            cells += [_code_cell(source, f"{part.stem}-own-{n}") for n, source in enumerate(own, start=1)]
        elif cell["id"] == f"{part.stem}-reasoning" and reasoning is not None:
            cell["source"] = reasoning
    notebook["cells"] = cells
    return notebook


def sources(part: Part) -> dict[str, str]:
    """The cells of a part's notebook as it is written, with its model answer and its hidden tests, by their ids."""
    notebook = read(REPOSITORY / "source" / COURSE.name / f"{part.stem}.ipynb")
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def equip(folder: Path) -> None:
    """Copies into a folder of notebooks what they import from next door."""
    shutil.copytree(REPOSITORY / "source" / COURSE.name / COURSE.module, folder / COURSE.module, ignore=COMPILED)


def write(folder: Path, part: Part, notebook: dict) -> None:
    """Writes a part's notebook into a submission's folder."""
    (folder / f"{part.stem}.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def read(path: Path) -> dict:
    """A notebook in a file.

    Errors  CourseError if it is not there.
    """
    if not path.exists():
        raise errors.CourseError(f"{names.path(path)} is missing. Run `make release`.")
    return json.loads(path.read_text(encoding="utf-8"))


def _pieces(answer: str) -> list[str]:
    pieces = [[]]
    for line in answer.splitlines(keepends=True):
        if line.startswith("# %%"):
            pieces.append([])
        else:
            pieces[-1].append(line)
    return ["".join(piece).rstrip("\n") for piece in pieces]


def _code_cell(source: str, name: str) -> dict:
    return {"cell_type": "code", "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": source}
