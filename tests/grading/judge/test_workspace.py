"""What a student's kernel sees of the folder that its notebooks are graded in."""

import gc
import json
import os
import shutil
from pathlib import Path

import pytest

from grading.judge import workspace

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


class Run:
    """Stands for nbgrader's exporter."""


@pytest.fixture
def run() -> Run:
    return Run()


def test_hidden_tests_and_outputs_are_not_copied_and_files_are(run: Run, graded: Path):
    copied = workspace.of_student(run, graded).path
    text = (copied / "part01.ipynb").read_text()
    assert "secret" not in text and '"outputs": []' in text and '"execution_count": null' in text
    assert (copied / "data" / "x.csv").read_text() == "1,2"


def test_only_what_has_changed_is_copied_again(run: Run, graded: Path):
    copied = workspace.of_student(run, graded).path
    (copied / "data" / "x.csv").write_text("touched")
    (graded / "part01.ipynb").write_text(notebook("2"))
    assert workspace.of_student(run, graded).path == copied
    assert '"source": "2"' in (copied / "part01.ipynb").read_text()
    assert (copied / "data" / "x.csv").read_text() == "touched"


def test_a_hand_in_that_replaces_another_leaves_nothing_of_it(run: Run, graded: Path):
    copied = workspace.of_student(run, graded).path
    shutil.rmtree(graded)
    graded.mkdir()
    (graded / "part02.ipynb").write_text(notebook("1"))
    workspace.of_student(run, graded)
    assert [name for _, _, names in os.walk(copied) for name in names] == ["part02.ipynb"]


def test_a_link_is_not_followed(run: Run, graded: Path):
    (graded / "link.csv").symlink_to("/etc/hostname")
    assert not (workspace.of_student(run, graded).path / "link.csv").exists()


def test_another_student_s_folder_takes_the_place_of_the_last_one(run: Run, graded: Path):
    first = workspace.of_student(run, graded).path
    assert workspace.of_student(run, _ben(graded)).path != first and not first.exists()


def test_runs_that_go_on_at_once_leave_each_other_s_copies_alone(run: Run, graded: Path):
    other, ben = Run(), _ben(graded)
    first, second = workspace.of_student(run, graded).path, workspace.of_student(other, ben).path
    assert workspace.of_student(run, graded).path == first and workspace.of_student(other, ben).path == second
    del other
    gc.collect()
    assert first.exists() and not second.exists()


def _ben(graded: Path) -> Path:
    folder = graded.parent.parent / "ben" / "attention"
    shutil.copytree(graded, folder)
    return folder
