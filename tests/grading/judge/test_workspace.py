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
    made.bring_up_to_date()
    return made


def test_hidden_tests_and_outputs_are_not_copied_and_files_are(workspace: Workspace):
    text = (workspace.path / "part01.ipynb").read_text()
    assert "secret" not in text and '"outputs": []' in text and '"execution_count": null' in text
    assert (workspace.path / "data" / "x.csv").read_text() == "1,2"


def test_only_what_has_changed_is_copied_again(workspace: Workspace, graded: Path):
    (workspace.path / "data" / "x.csv").write_text("touched")
    (graded / "part01.ipynb").write_text(notebook("2"))
    workspace.bring_up_to_date()
    assert '"source": "2"' in (workspace.path / "part01.ipynb").read_text()
    assert (workspace.path / "data" / "x.csv").read_text() == "touched"


def test_a_submission_that_replaces_another_leaves_nothing_of_it(workspace: Workspace, graded: Path):
    shutil.rmtree(graded)
    graded.mkdir()
    (graded / "part02.ipynb").write_text(notebook("1"))
    workspace.bring_up_to_date()
    assert [name for _, _, names in os.walk(workspace.path) for name in names] == ["part02.ipynb"]


def test_a_link_is_not_followed(workspace: Workspace, graded: Path):
    (graded / "link.csv").symlink_to("/etc/hostname")
    workspace.bring_up_to_date()
    assert not (workspace.path / "link.csv").exists()
