"""The module that notebooks import from next door is the course's own, whatever lies in a hand-in under its name."""

import json
import shutil
from pathlib import Path

import pytest

from grading import autograde, beside, course, courses, definition, handed, intake, packed, rows, sample_class

THIRTEEN = course.PARTS[13]
NAME = course.MODULE.removesuffix(".py")
OURS = (courses.REPOSITORY / "source" / course.ASSIGNMENT / course.MODULE).read_bytes()
EVIL = "class MyMHA:\n    pass\n\n\ndef try_out(mha):\n    pass\n"
LOOK = "print(MyMHA.__module__, MyMHA.__mro__[1].__name__, len(open('attention_course.py').read()))"


def hostile(folder: Path) -> None:
    """Every way to have another module of this name imported from a folder."""
    (folder / course.MODULE).write_text(EVIL, encoding="utf-8")
    (folder / NAME / "__pycache__").mkdir(parents=True)
    (folder / NAME / "__init__.py").write_text(EVIL, encoding="utf-8")
    (folder / "__pycache__").mkdir()
    for name in (f"{NAME}.pyc", f"__pycache__/{NAME}.cpython-311.pyc", f"{NAME}.so", f"{NAME}.abi3.so", f"{NAME}.pth"):
        (folder / name).write_bytes(b"evil")
    (folder / "torch.py").write_text(EVIL, encoding="utf-8")  # which the module imports


def printed(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [line for c in cells for o in c.get("outputs", ()) for line in "".join(o.get("text", "")).splitlines()]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of part 13; a student's folder is hostile, another's has all files, the third's only the notebook."""
    root = tmp_path_factory.mktemp("module")
    courses.new(root)
    for step in ("source", "release"):
        for path in (root / step / course.ASSIGNMENT).glob("*.ipynb"):
            if path.stem != THIRTEEN.stem:
                path.unlink()
    for student, make in {"hostile": hostile, "whole": sample_class.equip, "alone": lambda folder: None}.items():
        folder = root / "submitted" / student / course.ASSIGNMENT
        folder.mkdir(parents=True)
        make(folder)
        sample_class.write(folder, THIRTEEN, sample_class.hand_in(THIRTEEN, LOOK))
    courses.register(root)
    return root


@pytest.mark.parametrize("student", ["hostile", "whole", "alone"])
def test_a_student_s_kernel_imports_the_course_s_own(student: str, root: Path):
    result = autograde.grade_student(root, student)
    assert not result.error and not result.unmarked
    folder = root / "autograded" / student / course.ASSIGNMENT
    assert f"{NAME} Module {len(OURS.decode())}" in printed(folder / f"{THIRTEEN.stem}.ipynb")
    assert (folder / course.MODULE).read_bytes() == OURS
    assert not (folder / NAME).exists() and not (folder / "torch.py").exists()


def test_the_module_is_neither_admitted_nor_reported_and_what_could_hide_it_is(root: Path):
    folder = root / "submitted" / "hostile" / course.ASSIGNMENT
    taken, left_out = beside.admitted(folder)
    assert taken == [] and course.MODULE not in left_out
    assert {f"{NAME}/__init__.py", f"{NAME}.so", f"{NAME}.abi3.so", f"{NAME}.pyc", "torch.py"} <= set(left_out)
    assert f"__pycache__/{NAME}.cpython-311.pyc" in left_out
    for student in ("whole", "alone"):
        submitted = root / "submitted" / student / course.ASSIGNMENT
        release = root / "release" / course.ASSIGNMENT
        assert intake.notices(student, submitted, release) == []
        assert [name for name, _ in packed.read(student, submitted).entries] == [f"{THIRTEEN.stem}.ipynb"]


def test_a_worker_gets_the_course_s_own_and_another_one_is_another_definition(root: Path, tmp_path: Path):
    engine = rows.engine(courses.database(root))
    given = definition.read(root, engine)
    given.write(tmp_path)
    assert (tmp_path / "source" / course.ASSIGNMENT / course.MODULE).read_bytes() == OURS
    path = root / "source" / course.ASSIGNMENT / course.MODULE
    try:
        path.write_bytes(OURS + b"\n")
        assert definition.read(root, engine).digest != given.digest
    finally:
        path.write_bytes(OURS)
        engine.dispose()


def test_what_python_compiled_next_to_the_sources_is_no_change_of_the_course(root: Path):
    before, compiled = definition.sources(root), root / "source" / course.ASSIGNMENT / "__pycache__"
    compiled.mkdir(exist_ok=True)
    (compiled / f"{NAME}.cpython-311.pyc").write_bytes(b"compiled")
    assert definition.sources(root) == before
    shutil.rmtree(compiled)


def test_the_module_is_in_what_a_kernel_sees(tmp_path: Path):
    graded = tmp_path / "ada" / course.ASSIGNMENT
    graded.mkdir(parents=True)
    sample_class.equip(graded)
    assert (handed.copy(graded) / course.MODULE).read_bytes() == OURS
