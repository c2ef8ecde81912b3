"""What we touch of other packages without their promise: what is installed still has it, and the table has it all.

The checks run in a Python of their own, because ours puts functions into nbgrader's classes, some of them in this one.
"""

import importlib
import importlib.metadata
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import private_checks
import private_search
import pytest
from private_checks import APP, CHECKS, TABLES, USES, package_of, resolved, table_of, trouble
from private_search import OURS, overridden, reached

ROOT = Path(__file__).resolve().parents[3]
NAMES = {(use.ours, name): use for use in USES for name in use.names}


@pytest.fixture(scope="module")
def installed() -> dict[str, str | None]:
    """For each name what is wrong with it, found by a Python into which nothing of ours has been put."""
    done = subprocess.run([sys.executable, "-c", FRESH], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


FRESH = """
import json, sys
sys.path[:0] = ["", "tests/support"]
from private_checks import USES, trouble
names = [(use, name) for use in USES for name in use.names]
print(json.dumps({f"{use.ours} {name}": trouble(use, name) for use, name in names}))
"""


@pytest.mark.parametrize(("ours", "name"), NAMES)
def test_what_we_touch_is_still_as_we_touch_it(ours: str, name: str, installed: dict[str, str | None]):
    if wrong := installed[f"{ours} {name}"]:
        pytest.fail(wrong, pytrace=False)


def test_every_function_that_we_touch_has_a_check():
    known = {name: use for (_, name), use in NAMES.items()}
    assert not {*CHECKS} - {*known}
    unchecked = [name for name, use in known.items() if name not in CHECKS and not use.words]
    assert not [name for name in unchecked if isinstance(resolved(name), FunctionType)]


# Each check fails once what it is for is gone, or is another function.


def owners_of(name: str) -> tuple[list[object], str]:
    """What has an attribute of this name, the class's ancestors included."""
    place, _, last = name.rpartition(".")
    owner = resolved(place)
    if isinstance(owner, type):
        return [one for one in owner.__mro__ if last in vars(one) and one is not object], last
    return [owner], last


@pytest.mark.parametrize(("ours", "name"), NAMES)
def test_what_is_gone_is_told(ours: str, name: str, monkeypatch: pytest.MonkeyPatch):
    owners, last = owners_of(name)
    resolved(name)
    with monkeypatch.context() as broken:
        broken.setattr(inspect, "getsource", lambda _: "")
        for owner in owners:
            broken.delattr(owner, last)
        if name in sys.modules:
            broken.setitem(sys.modules, name, None)
        line = trouble(NAMES[ours, name], name)
    assert line is not None and "\n" not in line
    assert all(part in line for part in (f": {name} ", ours, "Public way: "))


def changed(*, argument: object) -> object:
    return argument


@pytest.mark.parametrize(("name", "place"), [(name, n) for name in CHECKS for n in range(len(CHECKS[name]))])
def test_what_has_changed_is_told(name: str, place: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(private_checks, "mentioned", lambda _: set())
    monkeypatch.setattr(resolved(private_checks.MARKDOWN), "render", lambda *_: "")
    owners, last = owners_of(name)
    with monkeypatch.context() as broken:
        for owner in owners:
            broken.setattr(owner, last, changed)
        try:
            wrong = CHECKS[name][place](changed)
        except Exception as error:  # noqa: BLE001  (`trouble` catches it, too)
            wrong = str(error)
    assert wrong


@pytest.mark.parametrize(("ours", "name"), [key for key, use in NAMES.items() if use.words and key[1] not in CHECKS])
def test_a_text_of_theirs_that_has_changed_is_told(ours: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inspect, "getsource", lambda _: "another text")
    assert f"{name} no longer says {NAMES[ours, name].words!r}" in trouble(NAMES[ours, name], name)


def test_the_line_says_which_version_breaks_what_and_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(resolved(APP), "init_heartbeat")
    name = f"{APP}.init_heartbeat"
    installed = f"ipykernel {importlib.metadata.version('ipykernel')}"
    assert trouble(NAMES["grading.sandbox.child", name], name) == (
        f"{installed}: {name} is gone. grading.sandbox.child breaks, which needs it for this: a kernel is made before "
        "the fork, and serves two plain sockets: no connection file, control or debugger. Public way: none: a "
        "connection file takes no open sockets, and init_kernel, of which ours is a copy, wants all channels. Adapt "
        "that module, then "
        "grading/sandbox/private_apis.py and tests/support/private_checks.py; or keep the old version."
    )


def test_the_engine_its_sandbox_and_the_course_have_a_table_each_of_their_own_modules():
    found = {package: {package_of(use.ours) for use in table.USES} for package, table in TABLES.items()}
    assert found == {package: {package} for package in ("attention", "grading.sandbox", "grading")}
    assert table_of("attention.questions.part07") == "attention/private_apis.py"
    assert all((ROOT / table_of(package)).is_file() for package in TABLES)


# The tables are complete, as far as a program can tell.


def modules() -> Iterator[tuple[str, Path]]:
    for package in OURS:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path
    yield "nbgrader_config", ROOT / "nbgrader_config.py"


def unknown(module: str, found: set[tuple[str, str]]) -> list[str]:
    """Of what a module touches, what is neither in the table nor documented; a line each."""
    names = [name for (ours, name) in NAMES if ours == module]
    known = {(package, part) for name in names for package in (name.partition(".")[0], "") for part in name.split(".")}
    return [
        f"{module} touches {name} of {package or 'another package'}: {table_of(module)} lacks it"
        for package, name in sorted(found - known)
        if f"{package}.{name}" not in private_search.DOCUMENTED
    ]


@pytest.mark.parametrize("module", MODULES := dict(modules()))
def test_the_table_has_whatever_our_code_reaches(module: str):
    found = reached(MODULES[module].read_text(encoding="utf-8"))
    if module != "nbgrader_config":
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, type) and value.__module__ == module:
                found |= overridden(value)
    if lines := unknown(module, found):
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize(("ours", "name"), NAMES)
def test_the_table_has_nothing_that_our_code_no_longer_reaches(ours: str, name: str):
    text = (ROOT / f"{ours.replace('.', '/')}.py").read_text(encoding="utf-8")
    last, words = name.rpartition(".")[2], NAMES[ours, name].words
    if not (re.search(rf"\b{last}\b", text) or (words and words in text)):
        pytest.fail(f"{ours} no longer touches {name}: take it out of {table_of(ours)}", pytrace=False)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from torch import _C", {("torch", "_C")}),
        ("import numpy._core as core", {("numpy", "_core")}),
        ("from nbgrader.dbutil import _temp_alembic_ini", {("nbgrader", "_temp_alembic_ini")}),
        ("import torch\nwith torch._C.Guard():\n    pass", {("torch", "_C")}),
        ("def f(error):\n    return error._size", {("", "_size")}),
        ("def f(error):\n    return getattr(error, '_size', 0)", {("", "_size")}),
        ("class A(B):\n    def f(self):\n        self._bind()", {("", "_bind")}),
        ("class A(B):\n    def f(self):\n        super()._add()", {("", "_add")}),
        ("from nbgrader import api\napi.create_engine = f", {("nbgrader", "create_engine")}),
        ("from nbgrader import api\ndel api.create_engine", {("nbgrader", "create_engine")}),
        ("from nbgrader import api\nsetattr(api, 'engine', f)", {("nbgrader", "engine")}),
        ("from a.b import C\nC.d['e'] = 1", {("a", "d")}),
        ("from a.b import C\nx, C.d = 1, 2", {("a", "d")}),
        ("from a.b import C\nC.d += [1]", {("a", "d")}),
        ("def f(app):\n    app.shell.ask_exit = lambda: None", {("", "ask_exit")}),
        ("def f(app):\n    def g(): ...\n    app.g = g", {("", "g")}),
        (
            "class A:\n  def f(self, a):\n    self._b = a._b\n    self._f()\n  async def _f(self): ...",
            set(),
        ),
        ("from grading.marking import rubric\nrubric.Sheet.last = None", set()),
        ("def f(cell):\n    cell.outputs = []", set()),
    ],
)
def test_the_search_finds(code: str, found: set[tuple[str, str]]):
    assert reached(code) == found


def test_the_search_finds_what_a_class_overrides():
    class Ours(resolved(APP)):
        def init_blackhole(self) -> None: ...

        def of_our_own(self) -> None: ...

    assert overridden(Ours) == {("ipykernel", "init_blackhole")}
    assert unknown("grading.sandbox.child", overridden(Ours)) == [
        "grading.sandbox.child touches init_blackhole of ipykernel: grading/sandbox/private_apis.py lacks it"
    ]
