"""The package that notebooks import from next door is the course's own, whatever a submission holds under its name."""

import ast
import json
import shutil
from dataclasses import replace
from pathlib import Path

import course_module
import graded_here
import pytest
from nbformat import NotebookNode

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from grading.classroom import inputs
from grading.core import messages
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, snapshot
from grading.judge.workspace import Workspace
from grading.sandbox import course_package
from grading.submission import bundle, clean_copy, extra_files, intake, notices

THIRTEEN = course.PARTS[13]
NAME = COURSE.module
OURS = course_module.FILES["mha.py"]
EVIL = "class MyMHA:\n    pass\n\n\ndef try_out(mha):\n    pass\n"
LOOK = """
import os
large = os.path.islink('attention_course/speaker.npz')
print(MyMHA.__module__, MyMHA.__mro__[1].__name__, len(open('attention_course/mha.py').read()), large)
"""


def hostile(folder: Path) -> None:
    """Every way to have another module of this name imported from a folder."""
    (folder / NAME / "__pycache__").mkdir(parents=True)
    for name in (f"{NAME}.py", f"{NAME}/__init__.py", f"{NAME}/mha.py", f"{NAME}/torch.py"):
        (folder / name).write_text(EVIL, encoding="utf-8")
    (folder / "__pycache__").mkdir()
    for name in (f"{NAME}.pyc", f"__pycache__/{NAME}.cpython-311.pyc", f"{NAME}.so", f"{NAME}.abi3.so", f"{NAME}.pth"):
        (folder / name).write_bytes(b"evil")
    (folder / "torch.py").write_text(EVIL, encoding="utf-8")  # which the module imports


def printed(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [line for c in cells for o in c.get("outputs", ()) for line in "".join(o.get("text", "")).splitlines()]


def noticed(student: str, root: Path) -> list[notices.Notice]:
    """What is told of a folder, here and on a worker, which is sent what grading reads."""
    release, submitted = root / "release" / COURSE.name, root / "submitted" / student / COURSE.name
    found = notices.found(student, submitted, release, COURSE)
    sent = root / "sent" / "submitted" / student / COURSE.name
    bundle.read(student, submitted, COURSE).write(sent)
    if not (root / "sent" / "source").exists():
        shutil.copytree(root / "source", root / "sent" / "source")
    assert notices.found(student, sent, release, COURSE) == found
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of part 13; a student's folder is hostile, another's has all files, the third's only the notebook."""
    root = tmp_path_factory.mktemp("module")
    course_copy.new(root, THIRTEEN)
    for student, make in {"hostile": hostile, "whole": handed_in.equip, "alone": lambda folder: None}.items():
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        make(folder)
        handed_in.write(folder, THIRTEEN, handed_in.submission(THIRTEEN, LOOK))
    generate_assignment.register(root)
    return root


@pytest.mark.parametrize("student", ["hostile", "whole", "alone"])
def test_a_student_s_kernel_imports_the_course_s_own(student: str, root: Path):
    result = graded_here.grade_student(root, student)
    assert not result.error and not result.unmarked
    folder = root / "autograded" / student / COURSE.name
    assert f"{NAME}.mha Module {len(OURS.decode())} True" in printed(folder / f"{THIRTEEN.stem}.ipynb")
    assert {path.name: path.read_bytes() for path in (folder / NAME).iterdir()} == course_module.FILES
    assert not (folder / f"{NAME}.py").exists() and not (folder / "torch.py").exists()


def test_each_notebook_of_a_submission_is_taken_in_once(root: Path, monkeypatch: pytest.MonkeyPatch):
    taken_in = []

    def counted(released: NotebookNode, submitted: dict) -> tuple[NotebookNode, list[str]]:
        taken_in.append(released)
        return clean_copy.clean_copy(released, submitted)

    monkeypatch.setattr(intake, "clean_copy", counted)
    assert not graded_here.grade_student(root, "alone", feedback=False).error
    assert len(taken_in) == 1
    submitted = root / "submitted" / "alone" / COURSE.name
    assert notices.found("alone", submitted, root / "release" / COURSE.name, COURSE) == []
    assert len(taken_in) == 2  # here nobody hands it on


def test_another_module_under_its_name_is_told_and_what_could_hide_it_is_left_out(root: Path):
    folder = root / "submitted" / "hostile" / COURSE.name
    taken, left_out = extra_files.admitted(folder, COURSE)
    assert taken == [] and not [name for name in left_out if name.startswith(f"{NAME}/")]
    assert {f"{NAME}.py", f"{NAME}.so", f"{NAME}.abi3.so", f"{NAME}.pyc", "torch.py"} <= set(left_out)
    assert f"__pycache__/{NAME}.cpython-311.pyc" in left_out
    assert {notice.part: notice.text for notice in noticed("hostile", root)}[NAME] == messages.MODULE_CHANGED
    for student in ("whole", "alone"):
        submitted = root / "submitted" / student / COURSE.name
        assert noticed(student, root) == []
        assert [name for name, _ in bundle.read(student, submitted, COURSE).entries] == [f"{THIRTEEN.stem}.ipynb"]


def test_a_worker_gets_the_course_s_own_and_another_one_is_another_definition(root: Path, tmp_path: Path):
    engine = snapshot.engine(course_folder.database(root))
    given = inputs.read(root, engine)
    given.write(tmp_path)
    assert (tmp_path / "source" / COURSE.name / NAME / "mha.py").read_bytes() == OURS
    path = root / "source" / COURSE.name / NAME / "mha.py"
    try:
        path.write_bytes(OURS + b"\n")
        assert inputs.read(root, engine).digest != given.digest
    finally:
        path.write_bytes(OURS)
        engine.dispose()


def test_what_python_compiled_next_to_the_sources_is_no_change_of_the_course(root: Path):
    before, compiled = inputs.sources(root), root / "source" / COURSE.name / "__pycache__"
    compiled.mkdir(exist_ok=True)
    (compiled / f"{NAME}.cpython-311.pyc").write_bytes(b"compiled")
    assert inputs.sources(root) == before
    shutil.rmtree(compiled)


def test_the_module_is_in_what_a_kernel_sees(tmp_path: Path):
    graded = tmp_path / "ada" / COURSE.name
    graded.mkdir(parents=True)
    handed_in.equip(graded)
    seen = Workspace(graded)
    seen.bring_up_to_date({})
    assert (seen.path / NAME / "mha.py").read_bytes() == OURS
    seen.bring_up_to_date(course_package.read(COURSE.libraries.package))
    assert seen.has_package and not (seen.path / NAME / "mha.py").exists()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: path.write_bytes(OURS), False),
        (lambda path: path.write_bytes(OURS.replace(b"\n", b"\r\n")), False),  # as another system ends lines
        (lambda path: None, False),
        (lambda path: path.write_bytes(OURS + b"\n"), True),
        (lambda path: path.write_bytes(b""), True),
        (lambda path: path.symlink_to("/etc/passwd"), True),
        (lambda path: path.mkdir(), False),
    ],
    ids=["the same", "other ends of lines", "none", "a line more", "empty", "a link", "a folder"],
)
def test_a_copy_of_a_file_is_told_if_it_says_something_else(make, told: bool, tmp_path: Path):
    course = replace(COURSE, module="helpers.py")
    folder, ours = tmp_path / "submitted" / "ada" / COURSE.name, tmp_path / "source" / COURSE.name
    for place in (folder, ours):
        place.mkdir(parents=True)
    make(folder / course.module)
    assert extra_files.changed_module(folder, course) is None  # there is no course to compare with
    (ours / course.module).write_bytes(OURS)
    assert extra_files.changed_module(folder, course) == (course.module if told else None)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (handed_in.equip, False),
        (lambda folder: (folder / NAME).mkdir(), False),
        (lambda folder: (folder / NAME).write_bytes(OURS), True),
        (lambda folder: (folder / NAME).symlink_to("/etc"), True),
        (lambda folder: [handed_in.equip(folder), (folder / NAME / "mha.py").write_bytes(OURS + b"\n")], True),
        (lambda folder: [handed_in.equip(folder), (folder / NAME / "more.py").touch()], True),
        (lambda folder: [handed_in.equip(folder), (folder / NAME / "data").symlink_to("/etc/passwd")], True),
        (
            lambda folder: [
                handed_in.equip(folder),
                (folder / NAME / "__pycache__").mkdir(),
                (folder / NAME / "__pycache__" / "mha.cpython-311.pyc").touch(),
            ],
            False,
        ),
    ],
    ids="the_same empty a_file a_link a_line_more a_file_more a_link_more compiled".split(),
)
def test_a_copy_of_the_package_is_told_if_it_says_something_else(make, told: bool, tmp_path: Path):
    folder, ours = tmp_path / "submitted" / "ada" / COURSE.name, tmp_path / "source" / COURSE.name
    for place in (folder, ours):
        place.mkdir(parents=True)
    handed_in.equip(ours)
    make(folder)
    assert extra_files.changed_module(folder, COURSE) == (NAME if told else None)
    assert extra_files.admitted(folder, COURSE) == ([], [])


@pytest.mark.parametrize("at", [0, extra_files.PIECE_BYTES, -1])
def test_one_other_byte_in_a_large_file_is_told(at: int, tmp_path: Path):
    folder, ours = tmp_path / "submitted" / "ada" / COURSE.name, tmp_path / "source" / COURSE.name
    data = bytearray(b"x" * (2 * extra_files.PIECE_BYTES + 5))
    for place in (folder, ours):
        (place / NAME).mkdir(parents=True)
        (place / NAME / "data.npz").write_bytes(data)
    assert extra_files.changed_module(folder, COURSE) is None
    data[at] += 1
    (folder / NAME / "data.npz").write_bytes(data)
    assert extra_files.changed_module(folder, COURSE) == NAME


def test_a_file_that_grows_while_it_is_read_is_read_to_its_limit(tmp_path: Path):
    path = tmp_path / "growing.txt"
    path.write_bytes(b"ab")
    before = path.stat()
    with path.open("rb") as file:
        assert extra_files.content(file, 1) == b"a"
    with path.open("rb") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(extra_files.os, "fstat", lambda _: before)
        path.write_bytes(b"abcdefgh")
        assert extra_files.content(file, 6) == b"abcdef"


@pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
def test_a_notebook_takes_functions_from_its_part_s_files_by_name_and_MyMHA_in_part_13_alone(part: Part):
    for cell in handed_in.released(part)["cells"]:
        for node in ast.walk(ast.parse("".join(cell["source"]))) if cell["cell_type"] == "code" else ():
            assert not (isinstance(node, ast.Import) and NAME in [alias.name for alias in node.names])
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == NAME:
                file = node.module.removeprefix(f"{NAME}.").partition("_")[0]  # of part03_slider, part03
                assert file == part.stem or cell["id"] == f"{part.stem}-setup" and part.number == 13
