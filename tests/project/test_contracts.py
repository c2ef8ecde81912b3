"""Which package of ours may import which: a contract in pyproject.toml that is broken is told, by the lint step."""

import ast
import io
import itertools
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest

from dev import suite
from dev.packages import REPOSITORY
from grading.sandbox import bubblewrap

BROKEN = {  # what a module imports, and the contract that forbids it
    "grading/core/limits.py": ("import grading.rules.closure", "order"),
    "grading/classroom/lock.py": ("import grading.own_work.ticked", "order"),
    "grading/pages/feedback.py": ("import grading.judge.kernels", "order"),
    "grading/rules/closure.py": ("import attention.oracles", "no course"),
    "grading/pages/wording.py": ("import tests.support.lean", "no course"),
    "grading/judge/incoming.py": ("from fuzzing import stand_in", "no course"),
    "grading/marking/rubric.py": ("import nbgrader", "nbgrader"),
    "grading/rules/shell.py": ("import grading.gradebook.marks", "nbgrader"),  # which imports it
    "grading/own_work/table.py": ("import grading.pages.wording", "own work"),
    "grading/bridge/wire.py": ("import grading.core.limits", "sent into a kernel"),
    "grading/sandbox/zygote.py": ("import grading.core.limits", "alone"),
    "grading/sandbox/child.py": ("import grading.sandbox.cgroups", "alone"),
    "grading/sandbox/supervisor.py": ("import grading.sandbox.processes", "alone"),
    "attention/oracles.py": ("import attention.sentences", "share no line"),
    "attention/oracles.py ": ("import torch", "NumPy alone"),
}


def checked(root: Path) -> subprocess.CompletedProcess:
    env = {"PYTHONPATH": str(root), "PATH": ""}
    command = [sys.executable, "-c", suite.CONTRACTS]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", BROKEN)
def test_a_contract_that_is_broken_is_told(name: str, tmp_path: Path):
    for package in ("attention", "dev", "grading"):
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    line, contract = BROKEN[name]
    with (tmp_path / name.strip()).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    found = checked(tmp_path)
    (broken,) = [line for line in found.stdout.splitlines() if " BROKEN" in line]
    assert found.returncode == 1 and contract in broken


def test_each_file_that_is_shown_within_the_walls_is_held_to_stand_alone():
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (alone,) = [contract for contract in contracts if contract["name"].endswith("stands alone")]
    shown = {f"grading.sandbox.{name}" for name in bubblewrap.SHOWN}
    assert shown == set(alone["source_modules"]) - {"attention.warmup"}


def test_what_is_shipped_imports_no_test_and_nothing_that_tests_share():
    tests = {path.stem for path in (REPOSITORY / "tests").rglob("*.py")} | {"tests", "fuzzing"}
    found = []
    for path in (
        path for package in ("attention", "grading", "source") for path in (REPOSITORY / package).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [(str(path), name) for name in names if name.partition(".")[0] in tests]
    assert {"lean", "channels", "conftest"} <= tests and found == []


def test_no_two_files_of_tests_have_one_name_by_which_the_quick_run_leaves_them_out():
    names = sorted(path.name for path in (REPOSITORY / "tests").rglob("test_*.py"))
    assert [name for name, after in itertools.pairwise(names) if name == after] == []


def test_the_oracles_import_nothing_but_numpy_and_the_standard_library():
    tree = ast.parse((REPOSITORY / "attention" / "oracles.py").read_text(encoding="utf-8"))
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in found} - sys.stdlib_module_names == {"numpy"}


def test_no_module_of_ours_imports_itself_by_way_of_others():
    graph = {}
    for package in ("attention", "dev", "grading"):
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            name = path.relative_to(REPOSITORY).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            graph[name] = ast.parse(path.read_text(encoding="utf-8"))
    imports = {name: _imported(name, tree, graph) for name, tree in graph.items()}
    while free := [name for name, others in imports.items() if not others & imports.keys() - {name}]:
        for name in free:
            del imports[name]
    assert sorted(imports) == [], "these import each other"


def _imported(name: str, tree: ast.Module, known: dict) -> set[str]:
    """Which of the known modules a module imports, at whatever depth, but for annotations alone."""
    found = set()
    annotations = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    left_out = {id(inner) for node in annotations for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {each for each in found if each in known and each != name and not name.startswith(f"{each}.")}


def test_the_course_s_facts_bring_no_probe_along_which_looks_at_the_shell_that_imports_it():
    code = "import sys, dev.sample_class, attention.course; sys.exit('grading.bridge.probe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0


def test_the_tests_have_a_folder_for_each_package_of_the_engine():
    packages, tests = (
        {path.name for path in (REPOSITORY / root / "grading").iterdir() if any(path.glob(pattern))}
        for root, pattern in ((".", "__init__.py"), ("tests", "test_*.py"))
    )
    assert packages == tests


def test_each_test_of_the_engine_lies_with_the_package_that_it_tests():
    """By its name, which is a module's, or by what it imports."""
    lost = []
    for path in sorted((REPOSITORY / "tests" / "grading").rglob("test_*.py")):
        folder = path.parent.relative_to(REPOSITORY / "tests")
        module = REPOSITORY / folder / f"{path.stem.removeprefix('test_')}.py"
        imports = rf"^from {'.'.join(folder.parts)}(\.\w+)* import "
        if not module.is_file() and not re.search(imports, path.read_text(encoding="utf-8"), re.MULTILINE):
            lost.append(path.relative_to(REPOSITORY).as_posix())
    assert lost == []


def test_a_test_of_static_rules_is_named_for_the_module_that_it_tests():
    modules, tests = (
        {path.stem.removeprefix("test_") for path in (REPOSITORY / place).glob("*.py")}
        for place in ("grading/rules", "tests/grading/rules")
    )
    assert len(tests) > 7 and tests <= modules


def test_a_folder_and_a_module_are_small_enough_to_be_read_whole():
    packages = [REPOSITORY / name for name in ("attention", "grading", "source")]
    modules = [path for package in packages for path in package.rglob("*.py")]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules}
    assert len(lengths) > 100 and {path: n for path, n in lengths.items() if n >= 300} == {}
    assert len([path for path in (REPOSITORY / "grading").iterdir() if path.name != "__pycache__"]) <= 14


def test_a_function_fits_on_a_screen():
    folders = ("attention", "benchmarks", "dev", "docs", "grading", "source")
    paths = [path for name in folders for path in (REPOSITORY / name).rglob("*.py")]
    lengths = {
        (path.relative_to(REPOSITORY).as_posix(), node.name): node.end_lineno - node.lineno + 1
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(lengths) > 1000 and {name: n for name, n in lengths.items() if n >= 45} == {}


def code_lines(text: str) -> int:
    """Lines of code: those without any, and docstrings, do not count."""
    no_code = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in no_code]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_lines_of_code_are_counted_without_docstrings_comments_and_empty_lines():
    assert (
        code_lines('"""Two\nlines."""\n\nA = (1,\n     2)  # said\n# more\ndef f():\n    """It."""\n    return A\n')
        == 4
    )


def test_the_engine_s_code_that_decides_a_mark_can_be_read_in_an_hour():
    document = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    (paragraph,) = [text for text in document.split("\n\n") if text.startswith("Six files of the engine decide a mark")]
    files = [REPOSITORY / "grading" / name for name in re.findall(r"`grading/([\w/]+\.py)`", paragraph)]
    assert len(files) == 6 and sum(code_lines(path.read_text(encoding="utf-8")) for path in files) < 700
