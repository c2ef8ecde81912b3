"""What is made from source/: release/ for students, and notebooks/, solved and executed."""

import shutil
import tempfile
from pathlib import Path

import nbformat

from grading import course, courses

# A solved notebook's metadata say nothing of the machine that ran it.
_NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def make(target: Path, solve: bool = True) -> None:
    """Makes target/release and, with `solve`, target/notebooks from the repository's source/.

    Errors  CourseError if nbgrader cannot, or if a solution or a hidden test fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(courses.REPOSITORY / "source" / course.ASSIGNMENT, root / "source" / course.ASSIGNMENT)
        courses.register(root)
        _replace(root / "release" / course.ASSIGNMENT, target / "release" / course.ASSIGNMENT)
        if solve:
            courses.solve(root)
            solved = root / "notebooks" / course.ASSIGNMENT
            for path in sorted(solved.glob("*.ipynb")):
                _normalise(path)
            _replace(solved, target / "notebooks" / course.ASSIGNMENT)


def _normalise(path: Path) -> None:
    """Takes out of a solved notebook what varies from run to run; errors among its outputs are refused."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata = nbformat.from_dict(_NOTEBOOK_METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if "outputs" in cell:  # what was printed together may arrive in pieces
            cell.outputs = _joined(cell.outputs)
        for output in cell.get("outputs", []):
            if output.output_type == "error" or output.get("name") == "stderr":
                text = output.get("evalue") or output.get("text", "")
                raise courses.CourseError(f"{path.name}, cell {cell.id}: the solution fails: {text.strip()[:300]}")
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def _joined(outputs: list) -> list:
    """Outputs in which neighbouring pieces of one stream are one."""
    out = []
    for output in outputs:
        if out and output.output_type == out[-1].output_type == "stream" and output.name == out[-1].name:
            out[-1].text += output.text
        else:
            out.append(output)
    return out


def _replace(made: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in [*sorted(made.glob("*.ipynb")), made / course.MODULE]:
        shutil.copyfile(path, target / path.name)
