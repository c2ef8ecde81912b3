"""What a submission gives depends on the submission and the course's secret alone, whatever names it uses."""

import ast
import builtins
from pathlib import Path

import graded_here
import lean
import nbformat
import pytest

from attention import course
from attention.course import COURSE
from attention.oracles import SECRET
from dev import handed_in
from grading.bridge import remote, wire
from grading.core import part_report
from grading.gradebook import course_folder, generate_assignment, marks
from grading.rules import closure, imports
from grading.sandbox import child
from grading.sandbox.kept_sandboxes import SANDBOXES

DRAWS = """
import random
print(random.random(), np.random.rand(), np.random.default_rng is not None, torch.rand(()).item(), torch.randn(2))
print({"some", "texts", "whose", "order", "in", "a", "set", "could", "differ"})
"""
OURS = {*vars(remote), *vars(wire), *vars(child), "far", "wire", "get_ipython", "display", "exit", "quit", "names"}
NOT_NAMES = {"True", "False", "None", "__debug__"}  # of what stands in builtins: these cannot be set
PYTHONS = {"__build_class__", "__name__", "__doc__", *imports.IMPORTING_NAMES}  # no honest answer sets these


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of part 3 alone: the gradebook looks at each part of a course for each run."""
    lean.new(tmp_path, course.PARTS[3])
    generate_assignment.register(tmp_path)
    return tmp_path


def graded(root: Path, student: str, answers: dict[int, str], again: bool = False) -> dict[int, nbformat.NotebookNode]:
    """A student's graded notebooks, by part; `again`: in another sandbox than the last time."""
    folder = root / "submitted" / student / COURSE.name
    folder.mkdir(parents=True, exist_ok=True)
    for number, answer in answers.items():
        part = course.PARTS[number]
        lean.write(folder, part, handed_in.submission(part, answer))
    if again:
        SANDBOXES.close()
    result = graded_here.grade_student(root, student, feedback=False)
    assert not result.error and not result.unmarked
    place = root / "autograded" / student / COURSE.name
    return {n: nbformat.read(place / f"{course.PARTS[n].stem}.ipynb", as_version=4) for n in answers}


def printed(notebook: nbformat.NotebookNode) -> str:
    return "".join(o.text for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "stream")


def model(number: int) -> str:
    part = course.PARTS[number]
    cells = handed_in.model(part)["cells"]
    return next("".join(cell["source"]) for cell in cells if cell["id"] == f"{part.stem}-answer")


def test_random_numbers_follow_from_the_submission_and_the_secret(root: Path, monkeypatch: pytest.MonkeyPatch):
    first, again = (printed(graded(root, "anna", {3: DRAWS}, again)[3]) for again in (False, True))
    assert first == again and "some" in first
    assert printed(graded(root, "bert", {3: DRAWS})[3]) == first  # whoever hands it in
    assert printed(graded(root, "anna", {3: f"{DRAWS}# mine"})[3]) != first
    monkeypatch.setenv(SECRET, "another secret")
    assert printed(graded(root, "anna", {3: DRAWS})[3]) != first


def test_a_right_answer_that_takes_any_builtin_s_name_or_one_of_ours_keeps_its_marks(tmp_path: Path):
    lean.new(tmp_path)
    generate_assignment.register(tmp_path)
    answers = {}
    for number in course.PARTS:
        answer = model(number)
        own = closure.free_names(ast.parse(answer)) | {"torch", "nn", "np", *course.PARTS[number].names}
        own |= {node.id for node in ast.walk(ast.parse(answer)) if isinstance(node, ast.Name)}
        names = sorted({*dir(builtins), *OURS} - own - NOT_NAMES - PYTHONS)
        assert {"map", "zip", "vars", "bytes", "exec", "get_ipython", "answer"} - own <= set(names)
        answers[number] = "\n".join([answer, *(f"{name} = 2 * 3" for name in names)])
    graded(tmp_path, "anna", answers)
    with course_folder.gradebook(tmp_path) as book:
        (row,) = marks.read(book, COURSE)
    assert row.parts == {number: part.automatic for number, part in course.PARTS.items()}


def test_memory_that_a_call_may_not_use_is_named(root: Path):
    answer = "def attention_logits(q, K, D_qk):\n    return torch.empty(20 * 2**30, dtype=torch.uint8)"
    notebook = graded(root, "anna", {3: answer})[3]
    (report,) = filter(None, map(part_report.read, notebook.cells))
    found = report.items[0].found
    assert "a MemoryError in line 2 of its cell" in found and "5 GiB of memory" in found


def test_memory_that_a_cell_may_not_use_is_named(root: Path):
    notebook = graded(root, "anna", {3: "torch.empty(20 * 2**30, dtype=torch.uint8)"})[3]
    assert "5 GiB of memory" in printed(notebook)
