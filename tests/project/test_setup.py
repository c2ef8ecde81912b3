"""Set-up: the lock is whole and fits every Python we promise, .venv is made from it, CI runs what the README names."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import closed_files
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from dev import packages

ROOT = packages.REPOSITORY
PYTHON = sys.executable
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11.0", "3.12.0", "3.13.0", "3.14.0")
LEFT_OUT = {canonicalize_name(name) for name in PROJECT["tool"]["uv"]["exclude-dependencies"]}
ASKED = {
    "students": PROJECT["project"]["dependencies"],
    "grading": PROJECT["project"]["optional-dependencies"]["grading"],
    "tests": [*PROJECT["project"]["optional-dependencies"]["site"], *PROJECT["dependency-groups"]["tests"]],
}


def pins(name: str) -> dict[str, Requirement]:
    """What a requirements file pins, by package; a file that holds anything else fails."""
    found: dict[str, Requirement] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if (line := line.partition("#")[0].strip()) in ("", f"-c {packages.CUDA}"):
            continue
        requirement = Requirement(line)
        (specifier,) = requirement.specifier
        assert specifier.operator == "==" and "*" not in specifier.version, f"{name}: {line} is no exact pin"
        package = canonicalize_name(requirement.name)
        assert package not in found, f"{name} pins {package} twice"
        found[package] = requirement
    return found


PINS = {who: pins(name) for who, name in packages.FILES.items()}
CUDA = pins(packages.CUDA)
HERE = {package: pin for package, pin in PINS["tests"].items() if pin.marker is None or pin.marker.evaluate()}


def test_who_needs_more_gets_all_that_others_get_in_the_same_versions():
    fewest, more, most = ({name: str(pin.specifier) for name, pin in pinned.items()} for pinned in PINS.values())
    assert fewest.items() < more.items() < most.items()
    assert not CUDA.keys() & PINS["tests"].keys()


@pytest.mark.parametrize("who", ASKED)
def test_what_we_use_ourselves_is_pinned_for_who_needs_it(who: str):
    for asked in map(Requirement, ASKED[who]):
        (pin,) = PINS[who][canonicalize_name(asked.name)].specifier
        assert pin.version in asked.specifier


def test_students_install_nothing_that_only_grading_or_the_tests_use():
    for package in ("distributed", "nh3", "latex2mathml", "pytest", "ruff", "playwright", "jupyterhub"):
        assert package not in PINS["students"]
    assert "pytest" not in PINS["grading"]


@pytest.mark.parametrize("package", HERE)
def test_a_package_is_installed_as_pinned_and_runs_on_every_python_we_promise(package: str):
    installed = metadata.distribution(package)
    (pin,) = HERE[package].specifier
    assert Version(installed.version).public == Version(pin.version).public
    for python in PYTHONS:
        assert SpecifierSet(installed.metadata.get("Requires-Python", "")).contains(python), f"not on Python {python}"


@pytest.mark.parametrize("who", packages.FILES)
def test_nothing_that_a_package_needs_is_missing_from_its_file(who: str):
    pinned, missing = {**CUDA, **PINS[who]}, set()
    extras = {package: {""} for package in PINS[who]}
    todo = [package for package in PINS[who] if package in HERE]
    while todo:
        package = todo.pop()
        for needed in map(Requirement, metadata.requires(package) or []):
            if needed.marker and not any(needed.marker.evaluate({"extra": extra}) for extra in extras[package]):
                continue
            name = canonicalize_name(needed.name)
            if name not in pinned:
                missing.add(name)
                continue
            (pin,) = pinned[name].specifier
            assert needed.specifier.contains(pin.version, prereleases=True), f"{package} needs {needed}, not {pin}"
            if name in HERE and not needed.extras <= extras[name]:
                extras[name] |= needed.extras
                todo.append(name)
    assert missing <= LEFT_OUT


def test_jupyter_starts_without_the_package_that_takes_longest_to_import():
    code = "import sys, jupyter_events, jupyter_events.validators; print([n for n in sys.argv[1:] if n in sys.modules])"
    names = [name.replace("-", "_") for name in LEFT_OUT]
    found = subprocess.run([sys.executable, "-c", code, *names, "lark"], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_uv_looks_for_packages_where_pip_is_told_to():
    settings = """\
:env:.find-links='/wheels'
global.cert='/certificates.crt'
global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'
global.find-links='/elsewhere'
global.index-url='https://pypi.example/simple'
global.timeout='60'
install.find-links='/for-install /and-here'
"""
    assert packages.uv_environment(settings, {"SSL_CERT_FILE": "/mine.crt", "HOME": "/h"}) == {
        "UV_FIND_LINKS": "/wheels",  # pip, too, lets the environment win
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "https://pypi.example/simple",
        "SSL_CERT_FILE": "/mine.crt",  # what is already set for uv stays
        "HOME": "/h",
    }
    without_environment = settings.partition("\n")[2]
    assert packages.uv_environment(without_environment, {})["UV_FIND_LINKS"] == "/for-install,/and-here"
    assert packages.uv_environment("", {"A": "b"}) == {"A": "b"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the requirements, a .venv that is ready for graders, and programs that log how they are called."""
    for name in (*packages.FILES.values(), packages.CUDA):
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(packages, "REPOSITORY", tmp_path)
    monkeypatch.setattr(packages, "VENV", tmp_path / ".venv")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    script = f"#!/bin/sh\nprintf '%s\\n' \"$(basename $0) $*\" >> {tmp_path}/log\n"
    for program in (tmp_path / ".venv" / "bin" / "python", tmp_path / "python", tmp_path / "uv"):
        program.write_text(script)
        program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(packages.shutil, "which", lambda _: str(tmp_path / "uv"))
    for who in ("students", "grading"):
        packages._stamp(who).write_text(packages._digest(who))
    return tmp_path


def called(site: Path) -> list[str]:
    return (site / "log").read_text().splitlines()


def installs(site: Path) -> list[str]:
    """What pip was called to install; the two halves of a list end in any order."""
    return [call for call in called(site) if " install " in call]


def test_what_is_missing_is_added_to_a_venv_that_is_up_to_date(site: Path):
    packages.set_up("tests")
    assert not any("venv" in call.split(" ")[:3] for call in called(site))
    assert [call.partition(f"{site}/.venv/bin/python ")[2] for call in called(site) if call.startswith("uv ")] == [
        "--no-deps -r requirements-tests.txt",
        "-c requirements-tests.txt torch",
    ]
    assert packages._stamp("tests").exists()


def test_a_venv_with_a_package_that_is_out_of_date_is_made_from_scratch(site: Path):
    with (site / "requirements-grading.txt").open("a") as file:
        file.write("six==1.0\n")
    packages.set_up("students")
    assert called(site)[0] == f"python -m venv --clear {site}/.venv"


def test_a_venv_that_is_a_link_is_never_cleared(site: Path):
    (site / ".venv").rename(site / "shared")
    (site / ".venv").symlink_to(site / "shared")
    (site / packages.CUDA).write_text("")
    with pytest.raises(SystemExit, match=r"\.venv is a link"):
        packages.set_up("students")
    assert not (site / "log").exists()


@pytest.mark.parametrize("python", [None, "#!/bin/sh\nexit 1\n", "no program", "#!/gone\n"])
def test_a_venv_whose_python_is_gone_or_doesnt_run_is_made_from_scratch(site: Path, python: str | None):
    inside = site / ".venv" / "bin" / "python"
    if python is None:
        inside.unlink()
        inside.symlink_to("/usr/bin/python3.0")
    else:
        inside.write_text(python)
    made = f"#!/bin/sh\nprintf '%s\\n' \"python $*\" >> {site}/log\nln -sf {site}/uv {inside}\n"
    (site / "python").write_text(made)  # as if it made a .venv
    packages.set_up("grading")
    assert called(site)[0] == f"python -m venv --clear {site}/.venv"
    assert packages._stamp("grading").exists()


def test_a_link_to_a_venv_whose_python_doesnt_run_is_named_in_a_line(site: Path):
    (site / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    (site / ".venv").rename(site / "shared")
    (site / ".venv").symlink_to(site / "shared")
    with pytest.raises(SystemExit, match=r"\.venv is a link to .*shared, where Python doesn't run .*Remove the link"):
        packages.set_up("grading")
    (site / "shared").rename(site / "elsewhere")
    with pytest.raises(SystemExit, match=r"\.venv is a link to .*shared, which is gone or closed .*Remove the link"):
        packages.set_up("grading")
    assert not (site / "log").exists()


@pytest.mark.parametrize("closed", [".venv", ".venv/bin"])
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_venv_that_this_account_may_not_write_to_is_named_in_a_line(site: Path, closed: str, mode: int):
    (site / closed).chmod(mode)
    try:
        with closed_files.obeyed(), pytest.raises(SystemExit, match=rf"be written to {site}/{closed}: .*a copy"):
            packages.set_up("grading")
    finally:
        (site / closed).chmod(0o700)
    assert not (site / "log").exists()


def test_make_has_a_venv_looked_at_whose_python_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("MAKEFLAGS", "PYTHON"):  # in which `make PYTHON=… test` hands its own Python on
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3.0")
    for name in (*packages.FILES.values(), packages.CUDA):
        (tmp_path / name).write_text("")
    for who in packages.FILES:
        (tmp_path / ".venv" / f"{who}.ready").write_text("")
    found = subprocess.run(["make", "-n", "grade"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "python3 -m dev.packages grading" in found.stdout
    (tmp_path / ".venv" / "bin" / "python").unlink()
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/bin/sh")
    found = subprocess.run(["make", "-n", "grade"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "dev.packages" not in found.stdout


def test_ctrl_c_while_packages_are_installed_ends_in_a_line(site: Path):
    code = "import runpy, sys, dev.packages as p; from unittest import mock; sys.argv[1:] = ['grading']\n"
    code += "with mock.patch('os.path.lexists', side_effect=KeyboardInterrupt):\n"
    code += "    runpy.run_path(p.__file__, run_name='__main__')\n"
    found = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 130
    assert found.stderr == "\nStopped: .venv is not ready. Run it again to go on.\n"


def test_pip_installs_the_same_where_uv_is_missing_or_fails(site: Path, monkeypatch: pytest.MonkeyPatch):
    (site / "uv").write_text("#!/bin/sh\nexit 1\n")
    packages.set_up("tests")
    failed = installs(site)
    (site / "log").unlink()
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    packages.set_up("tests")
    assert sorted(failed) == sorted(installs(site))
    *halves, brought = (call.partition("--no-compile ")[2] for call in installs(site))
    assert brought == "-c requirements-tests.txt torch"
    assert all(half.startswith("--no-deps ") for half in halves)
    pinned = re.findall(r"^\S+==\S+", (site / "requirements-tests.txt").read_text(), re.MULTILINE)
    assert sorted(re.findall(r"\S+==\S+", " ".join(halves))) == sorted(pinned)
    assert any("appnope==1.0.0 ; sys_platform == 'darwin'" in half for half in halves)
    assert called(site)[-1].endswith(f"-W ignore -m compileall -qq -j 0 -x {packages.OWN_TESTS} {site}/.venv/lib")


def test_all_that_is_installed_is_compiled_but_packages_own_tests_wherever_the_repository_lies(tmp_path: Path):
    of_packages = tmp_path / "tests" / "course" / ".venv" / "lib" / "site-packages"
    for name in ("a/mod.py", "a/tests/test_mod.py", "a/b/tests/helper.py", "a/testing/mod.py", "tests_of/mod.py"):
        (of_packages / name).parent.mkdir(parents=True, exist_ok=True)
        (of_packages / name).write_text("")
    compile_all = [sys.executable, "-m", "compileall", "-qq", "-x", packages.OWN_TESTS, of_packages.parent]
    subprocess.run(compile_all, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""})
    compiled = {str(path.parent.parent.relative_to(of_packages)) for path in of_packages.rglob("*.pyc")}
    assert compiled == {"a", "a/testing", "tests_of"}


@pytest.mark.parametrize("module", ["grading", "dev", "dev.packages", "dev.lock"])
def test_a_python_that_is_too_old_is_told_so_in_a_line(module: str):
    code = f"import sys, runpy; sys.version_info = (3, 10, 9); runpy.run_module({module!r}, run_name='__main__')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 1 and found.stdout == ""
    assert found.stderr.count("\n") == 1 and found.stderr.startswith("Python 3.11 or newer is needed, this is ")


def test_a_python_of_any_age_can_read_what_says_that_it_is_too_old():
    ast.parse((ROOT / "grading" / "__init__.py").read_text(), feature_version=(3, 4))


def test_a_python_that_is_too_new_is_told_so_in_a_line():
    code = "import sys, runpy; sys.version_info = (3, 15); runpy.run_module('dev.packages', run_name='__main__')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 1 and found.stdout == ""
    assert found.stderr.count("\n") == 1 and found.stderr.startswith("Python 3.11 to 3.14 is needed, this is 3.15.")


def test_one_range_of_pythons_is_promised_everywhere():
    newest = ".".join(map(str, packages.NEWEST))
    assert PROJECT["project"]["requires-python"] == f">=3.11,<{packages.NEWEST[0]}.{packages.NEWEST[1] + 1}"
    assert f"Python 3.11 to {newest}" in (ROOT / "README.md").read_text(encoding="utf-8")
    matrix = workflow()["jobs"]["test"]["strategy"]["matrix"]["include"]
    assert {row["python"] for row in matrix} == {"3.11", newest}
    assert {row["installer"] for row in matrix} == {"pip", "uv"}


def workflow() -> dict:
    return yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))


def test_the_forge_runs_what_the_readme_names_and_nothing_else_of_ours():
    steps = workflow()["jobs"]["test"]["steps"]
    assert workflow()[True] == ["push", "pull_request"]  # YAML 1.1 reads the key `on` as true
    assert steps[-1] == {"run": ".ci/run"} and os.access(ROOT / ".ci" / "run", os.X_OK)
    for step in steps:
        assert subprocess.run(["bash", "-n", "-c", step.get("run", "")], check=False).returncode == 0
    commands = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "make test"]


def test_the_packages_install_from_pyproject_editable_and_whole(tmp_path: Path):
    for name in ("attention", "grading"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    build = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])('made'))"
    for kind in ("build_editable", "build_wheel"):
        made = subprocess.run(
            [sys.executable, "-c", build, kind], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        with zipfile.ZipFile(tmp_path / "made" / made.stdout.splitlines()[-1]) as wheel:
            names = set(wheel.namelist())
            metadata = next(name for name in names if name.endswith("dist-info/METADATA"))
            said = wheel.read(metadata).decode()
        assert "Provides-Extra: grading" in said and "Requires-Dist: torch==2.13.0" in said
    for package in ("attention", "grading"):
        ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*") if path.is_file()}
        assert {name for name in ours if "__pycache__" not in name} <= names
