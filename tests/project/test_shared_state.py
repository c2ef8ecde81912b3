"""What outlives a notebook, or is shared by a whole process: two courses in one process share none of it."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.classroom import inputs
from grading.core.course import Course, Libraries, Part
from grading.submission import extra_files, in_memory, intake

OTHER = Course("other", "Other", "Other", (Part(1, "First", "first", ("first",), 1.0),), libraries=Libraries(("json",)))
HOLDERS = {"ContextVar", "local", "Lock", "RLock", "Sandboxes"}  # what modules may hold that changes
# Each cache and each holder of ours, with what its values belong to.
KNOWN = {
    "attention/oracles.py: _gqa": "the numbers that it is given",
    "attention/part13.py: _full_case": "the state of a generator",
    "grading/bridge/sent_code.py: _at": "a place in a text",
    "grading/bridge/probe.py: _way": "the test that runs",
    "grading/marking/budget.py: _here": "the thread",
    "grading/marking/rubric.py: _reports": "the test that runs",
    "grading/judge/limits_reached.py: _reached": "the submission that is graded",
    "grading/rules/student_code.py: _read": "the notebook that is read",
    "grading/submission/in_memory.py: _held": "the block; by paths, and where a course decides by that",
    "grading/sandbox/kept_sandboxes.py: SANDBOXES": "the course, and whether it is walled",
    "grading/classroom/inputs.py: distributions": "the course",
    "grading/classroom/inputs.py: _contents": "the archive",
    "grading/classroom/inputs.py: _installed": "the course's folders, and packages' names",
    "grading/classroom/inputs.py: _as_loaded": "a module, as loaded",
    "grading/submission/extra_files.py: _modules": "the course",
    "grading/submission/schemas.py: _validator": "a schema, by its text",
    "grading/submission/schemas.py: _of_outputs": "nbformat, as installed",
    "grading/core/command_line.py: _alone": "the process",
    "grading/core/slow_texts.py: _rows": "Python's table of characters",
    "grading/submission/times.py: _read": "the file, as of its last change",
    "grading/gradebook/engines.py: _held": "the block, and an engine",
    "grading/gradebook/engines.py: keep_engines": "nbgrader, as installed",
    "grading/gradebook/source_checks.py: guard": "nbgrader, as installed",
    "grading/gradebook/source_checks.py: _handed_out": "the block",
    "grading/gradebook/engines.py: _engine": "the process and the gradebook's address",
    "grading/classroom/worker.py: _engine": "the process and the gradebook's address",
    "grading/classroom/worker.py: _name": "the process",
    "grading/classroom/worker.py: _one_at_a_time": "the process",
    "grading/gradebook/engines.py: alembic_version": "nbgrader, as installed",
    "grading/submission/nbgrader_patches.py: guard": "nbgrader, as installed",
    "grading/rules/reexports.py: _place": "a module, as installed",
    "grading/rules/reexports.py: _imports": "a file, as installed",
    "grading/judge/execution.py: _compiled": "a test cell, by its text",
    "grading/judge/execution.py: _libraries": "the machine's libraries",
    "grading/sandbox/bubblewrap.py: available": "the machine",
    "grading/sandbox/cgroups.py: _homes": "the machine",
    "grading/marking/expressions.py: _orders": "a number",
}


def held(text: str) -> list[str]:
    """The caches of a module's functions, and the names that it binds to something that changes."""
    found = []
    for node in ast.walk(tree := ast.parse(text)):
        decorators = getattr(node, "decorator_list", ())
        if any(_is_cache(each.func if isinstance(each, ast.Call) else each) for each in decorators):
            found.append(node.name)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            called = [inner.func for inner in ast.walk(node.value) if isinstance(inner, ast.Call)]
            if any(_is_cache(each) or _last(each) in HOLDERS for each in called):
                found.append(ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target))
    return found


def _is_cache(node: ast.expr) -> bool:
    return _last(node) in {"cache", "lru_cache"}


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


@pytest.mark.parametrize(
    "text",
    [
        "@functools.cache\ndef a(): ...",
        "@lru_cache(maxsize=8)\ndef a(): ...",
        "class B:\n    @functools.cache\n    def a(self): ...",
        "a = functools.lru_cache(1)(lambda x: x)",
        "a: ContextVar[int] = ContextVar('a')",
        "a = threading.Lock()",
    ],
)
def test_what_a_module_holds_is_found(text: str):
    assert held(text) == ["a"]


def test_each_cache_and_each_holder_is_known_with_what_its_values_belong_to():
    found = {
        f"{path.relative_to(REPOSITORY).as_posix()}: {name}"
        for package in ("attention", "grading")
        for path in sorted((REPOSITORY / package).rglob("*.py"))
        for name in held(path.read_text(encoding="utf-8"))
    }
    assert found == {*KNOWN}


@pytest.mark.parametrize("about", [inputs.distributions, extra_files._modules])
def test_what_is_looked_up_for_a_course_is_not_given_to_another_one(about):
    first = about(COURSE)
    renamed = replace(COURSE, module="another_module", libraries=Libraries(("numpy",)), imports={})
    assert about(renamed) != first and about(OTHER) != about(renamed) and about(COURSE) == first


def test_a_file_that_two_courses_take_in_is_taken_in_for_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(intake, "_take_in", lambda path, released, of, alone: (of.name, alone))
    with in_memory.once():
        for course in (COURSE, OTHER):
            for alone in (False, True):
                assert intake.taken(tmp_path / "a", tmp_path / "b", course, alone) == (course.name, alone)


TABLES = {"dict", "list", "set", "defaultdict", "deque", "OrderedDict", "WeakKeyDictionary", "WeakValueDictionary"}


def tables(text: str) -> list[str]:
    """The names that a module binds to an empty container: what it is filled with, all who import it share."""
    found = []
    for node in ast.parse(text).body:
        value = getattr(node, "value", None)
        empty = isinstance(value, ast.Dict | ast.List | ast.Set) and not ast.unparse(value).strip("{}[]")
        if isinstance(value, ast.Call) and not value.args and not value.keywords:
            empty = ast.unparse(value.func).rpartition(".")[2] in TABLES
        if empty:
            found += [ast.unparse(each) for each in getattr(node, "targets", None) or [node.target]]
    return found


def test_a_module_s_table_that_is_empty_at_first_is_found():
    assert tables("a = {}\nb: dict[str, int] = weakref.WeakKeyDictionary()\nc = d = []\nreal = {'x': 1}\ne = dict") == [
        *"abcd"
    ]


def test_no_module_keeps_a_table_that_a_second_course_in_the_process_would_share():
    found = {
        path.relative_to(REPOSITORY).as_posix(): names
        for package in ("attention", "grading")
        for path in sorted((REPOSITORY / package).rglob("*.py"))
        if (names := tables(path.read_text(encoding="utf-8")))
    }
    of_one_kernel, by_its_hash = {"grading/bridge/remote.py": ["_kept"]}, {"grading/classroom/inputs.py": ["_kept"]}
    by_a_cell_s_tree = {"grading/rules/closure.py": ["_free"]}
    assert found == of_one_kernel | by_its_hash | by_a_cell_s_tree
