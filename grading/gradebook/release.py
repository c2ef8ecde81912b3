"""What is made from source/: release/ for students, and notebooks/, solved and executed."""

import itertools
import math
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateSolution
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import capture_log

from grading.core import cells, errors, files, find_course, names
from grading.core.course import Course, Part
from grading.gradebook import course_folder, generate_assignment, nbgrader_log, source_checks
from grading.submission import kept_copies

# A solved notebook's metadata say nothing of the machine that ran it.
_NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

# So that a kernel that is stopped by Ctrl-C shows no traceback of its own; what goes wrong in a cell is an output.
_QUIETER = ("log_level=40", "log_level=50")
# What an error without words means: nbgrader interrupts a cell at its limit, `c.Execute.timeout`.
STOPPED = {
    "KeyboardInterrupt": "it was stopped, as happens at its limit of time. Run this again on a less busy machine."
}


def make(
    root: Path, target: Path, solve: bool = True, assignment: str = "", say: Callable[[str], None] = lambda line: None
) -> list[str]:
    """Makes target/release and, with `solve`, target/notebooks from the source/ of the course in `root`.

    `assignment` says which one is meant where the folder holds several. `say` gets a line before each notebook is
    executed, because that takes minutes. What somebody wrote into notebooks there is kept as a copy; returns a line
    about each.

    Errors  CourseError if nbgrader cannot, if a file can't be written, if a solution or a hidden test fails, if a
            solution loses points, if students would read a hidden test, if a notebook is none of the course's or gives
            other points than the course says, or if a library isn't installed.
    """
    course = course_folder.course(root, assignment)
    find_course.refuse_lacking(course_folder.config(root, assignment))
    source = root / "source" / course.name
    for path in (source, *([source / course.module] if course.module else [])):
        if not path.exists():
            raise errors.CourseError(f"{names.path(path)} is not there: nothing can be released without it.")
    with errors.naming_the_file(target), tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        files.copy_tree(source, made / "source" / course.name)
        for path in filter(Path.is_file, source.parent.iterdir()):  # such as a header for all assignments
            shutil.copyfile(path, made / "source" / path.name)
        course_folder.configure(made, root)
        generate_assignment.register(made, assignment)
        source_checks.refuse(course, source)
        solved = made / "notebooks" / course.name
        if solve:  # before anything is replaced, so that both stay as they are if a solution fails
            _solve(course, made, say)
            for path in sorted(solved.glob("*.ipynb")):
                _normalise(path)
            for part in () if course.plain else course.parts:
                _refuse_lost_points(part, solved / f"{part.stem}.ipynb")
        kept = kept_copies.replace(made / "release" / course.name, target / "release" / course.name, target)
        if solve:
            kept += kept_copies.replace(solved, target / "notebooks" / course.name, target)
    return kept_copies.lines(kept)


def _solve(course: Course, root: Path, say: Callable[[str], None]) -> None:
    """Executes the source notebooks of `root` into notebooks/."""
    interface = course_folder.api(root)
    kernels = interface.config.Execute
    kernels.extra_arguments = [each.replace(*_QUIETER) for each in kernels.get("extra_arguments", ())]
    interface.coursedir.assignment_id = course.name
    interface.coursedir.solution_directory = "notebooks"
    converter = GenerateSolution(coursedir=interface.coursedir, parent=interface)
    converter.force = True
    numbers, every = itertools.count(1), len([*(root / "source" / course.name).glob("*.ipynb")])

    class Told(NbGraderPreprocessor):
        """Says which notebook comes next."""

        def preprocess(self, nb: nbformat.NotebookNode, resources: dict) -> tuple[nbformat.NotebookNode, dict]:
            say(f"[{next(numbers)}/{every}] {names.short(resources['metadata']['name'])} is executed")
            return nb, resources

    converter.preprocessors = [Told, *converter.preprocessors]
    result = capture_log(converter)
    if nbgrader_log.was_stopped(result):
        raise KeyboardInterrupt
    if not result["success"]:
        raise errors.CourseError(f"source/{course.name} could not be executed: {nbgrader_log.last_error(result)}")


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
                said = f"the solution fails: {_failure(output)[:300]}"
                raise errors.CourseError(f"{path.name}, cell {_shown(cell)}: {said}")
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def _shown(cell: nbformat.NotebookNode) -> str:
    """What a sentence calls a cell; notebooks that are written by older programs have no ids."""
    return cell.get("id") or cells.name_of(cell) or f"`{names.short(cell.source)}`"


def _failure(output: nbformat.NotebookNode) -> str:
    """What an output of a failure says; an error's value alone may be as little as the key of a KeyError."""
    if output.output_type == "stream":
        return output.text.strip()
    kind, value = output.ename, output.evalue.strip()
    return f"{kind}: {value}" if value else STOPPED.get(kind, kind)


def _refuse_lost_points(part: Part, path: Path) -> None:
    """Errors  CourseError, one line, if a solved notebook earns less than its part's points.

    A test that marks the solution down marks down whoever answers like it, and nobody else would notice.
    """
    for cell in nbformat.read(path, as_version=4).cells if path.exists() else ():
        if cell.metadata.get("nbgrader", {}).get("grade_id") in part.tests:
            results = [each.data.get("text/plain", "") for each in cell.outputs if each.output_type == "execute_result"]
            if len(results) != 1 or not _is(results[0], part.automatic):
                printed = " ".join(each.text for each in cell.outputs if each.output_type == "stream")
                got = f"{results[0]}. {' '.join(printed.split())[:300]}" if results else "none. They must come last."
                said = f"expected {part.automatic:g} points for the solution, got {got}"
                raise errors.CourseError(f"{path.name}, cell {_shown(cell)}: {said}")


def _is(result: str, points: float) -> bool:
    """Whether a result is a float, as grading wants it, and these points, but for what adding up tenths leaves."""
    try:
        return result == repr(float(result)) and math.isclose(float(result), points)
    except ValueError:
        return False


def _joined(outputs: list) -> list:
    """Outputs in which neighbouring pieces of one stream are one."""
    out = []
    for output in outputs:
        if out and output.output_type == out[-1].output_type == "stream" and output.name == out[-1].name:
            out[-1].text += output.text
        else:
            out.append(output)
    return out
