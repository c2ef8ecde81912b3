"""A pretend class to grade, built from source, release and tests/answers; each student is named by what it is."""

import json
import shutil
from pathlib import Path

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core import errors, names
from grading.core.course import Part

ANSWERS = REPOSITORY / "tests" / "answers"
COMPILED = shutil.ignore_patterns("__pycache__")
# One usual mistake a part, one unusual right answer, one broken rule; the files' names in tests/answers/partNN.
USUAL_MISTAKES = {
    1: "03-value-from-x",
    2: "02-shapes-of-one-head",
    3: "06-forgot-the-root",
    4: "03-block-transposed",
    5: "06-softmax-over-the-queries",
    6: "02-repeat-for-tile",
    7: "06-neighbouring-heads-by-index",
    8: "01-neighbouring-heads",
    9: "02-heads-paired-as-neighbours",
    10: "02-order-swapped",
    11: "04-equal-rows",
    12: "03-forgot-the-factor",
    13: "01-forgot-the-factor",
    14: "01-latent-kept-twice",
}
UNUSUAL_STYLE = {
    1: "05-expressions-that-cancel",
    2: "05-nn-linear",
    3: "10-einsum",
    4: "05-columns",
    5: "10-vmap-over-heads",
    6: "03-average-of-all-copies",
    7: "10-gather",
    8: "03-recursive",
    9: "05-svd-thin",
    10: "05-qr",
    11: "06-lists-and-a-loop",
    12: "06-fourth-roots-shared",
    13: "05-block-diagonal-with-kron",
    14: "03-rational-and-simplified",
}
RULE_BREAKER = {
    1: "00-imports-math-unused",
    2: "00-imports-scipy",
    3: "00-from-math-import-sqrt",
    4: "00-imports-and-takes-back",
    5: "00-scaled-dot-product-attention",
    6: "00-import-scipy",
    7: "00-for-loop-over-heads",
    8: "00-import-math",
    9: "00-imports-scipy",
    10: "00-torch-svd",
    11: "00-imports-random",
    12: "00-imports-math",
    13: "00-reshape-in-a-second-statement",
    14: "00-imports-math",
}


def build(root: Path) -> list[str]:
    """Writes the sample class to root/submitted and returns its students' names.

    Errors  CourseError if an answer that the class is made of is not in tests/answers.
    """
    students = {
        "model-answers": model,
        "untouched-release": released,
        "half-done": lambda part: model(part) if part.number <= 7 else released(part),
        "usual-mistakes": lambda part: submission(
            part, _answer(part, USUAL_MISTAKES), "It is so because of the shapes."
        ),
        "unusual-style": lambda part: submission(part, _answer(part, UNUSUAL_STYLE), _model_reasoning(part)),
        "rule-breaker": lambda part: submission(part, _answer(part, RULE_BREAKER), _model_reasoning(part)),
        "damaged-submission": model,
    }
    for student, make in students.items():
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True, exist_ok=True)
        equip(folder)
        for part in course.PARTS.values():
            write(folder, part, make(part))
    _damage(root / "submitted" / "damaged-submission" / COURSE.name)
    return list(students)


def released(part: Part) -> dict:
    """The released notebook of a part, as a student gets it."""
    return _read(REPOSITORY / "release" / COURSE.name / f"{part.stem}.ipynb")


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


def equip(folder: Path) -> None:
    """Copies into a folder of notebooks what they import from next door."""
    shutil.copytree(REPOSITORY / "source" / COURSE.name / COURSE.module, folder / COURSE.module, ignore=COMPILED)


def write(folder: Path, part: Part, notebook: dict) -> None:
    """Writes a part's notebook into a submission's folder."""
    (folder / f"{part.stem}.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")


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


def _model_reasoning(part: Part) -> str | None:
    return sources(part).get(f"{part.stem}-reasoning")


def sources(part: Part) -> dict[str, str]:
    """The cells of a part's notebook as it is written, with its model answer and its hidden tests, by their ids."""
    notebook = _read(REPOSITORY / "source" / COURSE.name / f"{part.stem}.ipynb")
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def _read(path: Path) -> dict:
    if not path.exists():
        raise errors.CourseError(f"{names.path(path)} is missing. Run `make release`.")
    return json.loads(path.read_text(encoding="utf-8"))


def _answer(part: Part, chosen: dict[int, str]) -> str:
    path = ANSWERS / part.stem / f"{chosen[part.number]}.py"
    if not path.exists():
        raise errors.CourseError(f"the sample class needs {names.path(path)}, which is missing.")
    return path.read_text(encoding="utf-8")


def _damage(folder: Path) -> None:
    """One file that is not JSON, one missing, one without its test cell, one saved by another kernel."""
    (folder / "part02.ipynb").write_text("<html>502 Bad Gateway</html>\n", encoding="utf-8")
    (folder / "part04.ipynb").unlink()
    without = _read(folder / "part06.ipynb")
    without["cells"] = [cell for cell in without["cells"] if cell["id"] != "part06-test"]
    write(folder, course.PARTS[6], without)
    other = _read(folder / "part08.ipynb")
    other["metadata"] = {
        "kernelspec": {"display_name": "R", "language": "R", "name": "ir"},
        "language_info": {"name": "R"},
    }
    write(folder, course.PARTS[8], other)
