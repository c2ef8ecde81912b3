"""A pretend class to grade, built from source, release and tests/answers; each student is named by what it is."""

from pathlib import Path

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.core import errors, names
from grading.core.course import Part

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
        "model-answers": handed_in.model,
        "untouched-release": handed_in.released,
        "half-done": lambda part: handed_in.model(part) if part.number <= 7 else handed_in.released(part),
        "usual-mistakes": lambda part: handed_in.submission(
            part, _answer(part, USUAL_MISTAKES), "It is so because of the shapes."
        ),
        "unusual-style": lambda part: handed_in.submission(part, _answer(part, UNUSUAL_STYLE), _model_reasoning(part)),
        "rule-breaker": lambda part: handed_in.submission(part, _answer(part, RULE_BREAKER), _model_reasoning(part)),
        "damaged-submission": handed_in.model,
    }
    for student, make in students.items():
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True, exist_ok=True)
        handed_in.equip(folder)
        for part in course.PARTS.values():
            handed_in.write(folder, part, make(part))
    _damage(root / "submitted" / "damaged-submission" / COURSE.name)
    return list(students)


def _model_reasoning(part: Part) -> str | None:
    return handed_in.sources(part).get(f"{part.stem}-reasoning")


def _answer(part: Part, chosen: dict[int, str]) -> str:
    name = chosen.get(part.number)
    if name is None:
        raise errors.CourseError(
            f"the sample class has no answers for part {part.number}. Name three of {names.path(handed_in.ANSWERS)}/"
            f"{part.stem} in dev/sample_class.py: a usual mistake, an unusual style and a broken rule."
        )
    path = handed_in.ANSWERS / part.stem / f"{name}.py"
    if not path.exists():
        raise errors.CourseError(f"the sample class needs {names.path(path)}, which is missing.")
    return path.read_text(encoding="utf-8")


def _damage(folder: Path) -> None:
    """One file that is not JSON, one missing, one without its test cell, one saved by another kernel."""
    for number, damage in {2: _other_text, 4: Path.unlink, 6: _without_its_test, 8: _of_another_kernel}.items():
        if number in course.PARTS:  # an author may leave a part out
            damage(folder / f"{course.PARTS[number].stem}.ipynb")


def _other_text(path: Path) -> None:
    path.write_text("<html>502 Bad Gateway</html>\n", encoding="utf-8")


def _without_its_test(path: Path) -> None:
    notebook = handed_in.read(path)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != f"{path.stem}-test"]
    handed_in.write(path.parent, COURSE.part_of(path.stem), notebook)


def _of_another_kernel(path: Path) -> None:
    notebook = handed_in.read(path)
    notebook["metadata"] = {
        "kernelspec": {"display_name": "R", "language": "R", "name": "ir"},
        "language_info": {"name": "R"},
    }
    handed_in.write(path.parent, COURSE.part_of(path.stem), notebook)
