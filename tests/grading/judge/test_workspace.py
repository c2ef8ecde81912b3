"""What a student's kernel sees of the folder that its notebooks are graded in."""

import json
import os
import shutil
from pathlib import Path

import pytest

from grading.judge.workspace import Workspace

HIDDEN = "1\n### BEGIN HIDDEN TESTS\nsecret = 5\n### END HIDDEN TESTS"


def notebook(source: str) -> str:
    cell = {"cell_type": "code", "source": source, "outputs": [{"output_type": "stream"}], "execution_count": 3}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    folder = tmp_path / "ada" / "attention"
    (folder / "data").mkdir(parents=True)
    (folder / "part01.ipynb").write_text(notebook(HIDDEN))
    (folder / "data" / "x.csv").write_text("1,2")
    return folder


@pytest.fixture
def workspace(graded: Path) -> Workspace:
    made = Workspace(graded)
    made.bring_up_to_date({})
    return made


def test_hidden_tests_and_outputs_are_not_copied_and_files_are(workspace: Workspace):
    text = (workspace.path / "part01.ipynb").read_text()
    assert "secret" not in text and '"outputs": []' in text and '"execution_count": null' in text
    assert (workspace.path / "data" / "x.csv").read_text() == "1,2"


def test_only_what_has_changed_is_copied_again(workspace: Workspace, graded: Path):
    (workspace.path / "data" / "x.csv").write_text("touched")
    (graded / "part01.ipynb").write_text(notebook("2"))
    workspace.bring_up_to_date({})
    assert '"source": "2"' in (workspace.path / "part01.ipynb").read_text()
    assert (workspace.path / "data" / "x.csv").read_text() == "touched"


def test_a_submission_that_replaces_another_leaves_nothing_of_it(workspace: Workspace, graded: Path):
    shutil.rmtree(graded)
    graded.mkdir()
    (graded / "part02.ipynb").write_text(notebook("1"))
    workspace.bring_up_to_date({})
    assert [name for _, _, names in os.walk(workspace.path) for name in names] == ["part02.ipynb"]


def test_a_link_is_not_followed(workspace: Workspace, graded: Path):
    (graded / "link.csv").symlink_to("/etc/hostname")
    workspace.bring_up_to_date({})
    assert not (workspace.path / "link.csv").exists()


PACKAGE = {"beside/one.py": b"1", "beside/two.csv": b"2"}


@pytest.fixture
def with_package(graded: Path) -> Workspace:
    (graded / "beside").mkdir()
    for path, content in PACKAGE.items():
        (graded / path).write_bytes(content)
    (graded / "beside" / "own.txt").write_bytes(b"own")
    made = Workspace(graded)
    made.bring_up_to_date(PACKAGE)
    return made


def names(workspace: Workspace) -> set[str]:
    return {path.relative_to(workspace.path).as_posix() for path in workspace.path.rglob("*") if path.is_file()}


OWN = {"part01.ipynb", "data/x.csv", "beside/own.txt"}


def test_a_package_that_each_sandbox_has_is_not_copied(with_package: Workspace):
    assert with_package.has_package and names(with_package) == OWN


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "two.csv").write_bytes(b"3"),
        lambda folder: (folder / "two.csv").unlink(),
        lambda folder: ((folder / "two.csv").unlink(), (folder / "two.csv").symlink_to("one.py")),
    ],
    ids=["another content", "no file", "a link"],
)
def test_of_a_package_with_anything_else_in_it_all_is_copied(with_package: Workspace, graded: Path, change):
    change(graded / "beside")
    with_package.bring_up_to_date(PACKAGE)
    there = {path for path in PACKAGE if (graded / path).is_file() and not (graded / path).is_symlink()}
    assert not with_package.has_package and names(with_package) == OWN | there
    for path in there:
        assert (with_package.path / path).read_bytes() == (graded / path).read_bytes()


def test_a_package_that_has_become_the_sandboxes_leaves_no_copy_behind(with_package: Workspace, graded: Path):
    (graded / "beside" / "two.csv").write_bytes(b"3")
    with_package.bring_up_to_date(PACKAGE)
    (graded / "beside" / "two.csv").write_bytes(b"2")
    with_package.bring_up_to_date(PACKAGE)
    assert with_package.has_package and names(with_package) == OWN


def test_sandboxes_with_another_package_or_none_get_copies(with_package: Workspace):
    for other in ({**PACKAGE, "beside/two.csv": b"3"}, {**PACKAGE, "beside/three.py": b""}, {}):
        with_package.bring_up_to_date(other)
        assert not with_package.has_package and names(with_package) == OWN | PACKAGE.keys()
    with_package.bring_up_to_date(PACKAGE)
    assert with_package.has_package
