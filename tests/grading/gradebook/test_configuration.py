"""What is plugged into nbgrader by name: each name stands for something, and docs/architecture.md lists them all."""

import ast
import importlib.util
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.preprocessors import AssignLatePenalties, GetGrades, IgnorePattern, LimitOutput, OverwriteCells
from nbgrader.preprocessors.base import NbGraderPreprocessor
from traitlets import import_item
from traitlets.config import Config
from traitlets.config.loader import LazyConfigValue

from dev.packages import REPOSITORY
from grading.gradebook import configuration

WAYS = {
    "a course of the engine's": lambda c: configuration.plug_in(c, "attention.course:COURSE", REPOSITORY),
    "a course for nbgrader alone": lambda c: configuration.wall_in(c, REPOSITORY / "examples"),
}
NAME = re.compile(r"grading(\.\w+)+")


def texts(value: object) -> Iterator[str]:
    """All texts in a configuration."""
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from texts(each)
        case list() | tuple():
            for each in value:
                yield from texts(each)
        case LazyConfigValue():  # a list that is to be added to
            yield from texts(value.to_dict())


def configured(way: str, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A configuration of this kind."""
    for name in ("PATH", "PYTHONPATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    c = Config()
    WAYS[way](c)
    return c


def plugged(way: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of ours in a configuration of this kind."""
    return {text for text in texts(configured(way, monkeypatch)) if NAME.fullmatch(text)}


@pytest.mark.parametrize("way", WAYS)
def test_each_name_stands_for_something_that_can_be_called(way: str, monkeypatch: pytest.MonkeyPatch):
    names = plugged(way, monkeypatch)
    assert len(names) > 5 and all(callable(import_item(name)) for name in names)


def test_the_list_in_the_document_is_the_one_in_the_code(monkeypatch: pytest.MonkeyPatch):
    document = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = document.partition("## What nbgrader gets by name")[2].partition("\n## ")[0]
    listed = {name for name in re.findall(r"`([\w.]+)`", table) if NAME.fullmatch(name)}
    assert listed == set().union(*(plugged(way, monkeypatch) for way in WAYS))


@pytest.mark.parametrize("way", WAYS)
def test_no_step_of_nbgrader_s_is_given_a_setting_that_it_warns_of(way: str, monkeypatch: pytest.MonkeyPatch, caplog):
    c = configured(way, monkeypatch)
    named = [import_item(text) for text in texts(c) if NAME.fullmatch(text)]
    ours = [step for step in named if isinstance(step, type) and issubclass(step, NbGraderPreprocessor)]
    for step in (AssignLatePenalties, GetGrades, IgnorePattern, LimitOutput, OverwriteCells, *ours):
        step(config=c, log=logging.getLogger("steps"))
    assert "not recognized" not in caplog.text
    LimitOutput(config=Config({"LimitOutput": {"max_lins": 1}}), log=logging.getLogger("steps"))
    assert "not recognized" in caplog.text  # which is how nbgrader warns


LAYERS = ["core", "bridge sandbox", "rules marking gradebook submission", "judge pages lms", "classroom", "own_work"]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names.split()}


def upward(path: Path) -> set[str]:
    """The names in a module's texts that stand for something in a package above its own."""
    found = set()
    package = path.relative_to(REPOSITORY / "grading").parts[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            other = node.value.split(".")[1]
            if LEVEL.get(other, -1) > LEVEL.get(package, 9) and _exists(node.value):
                found.add(node.value)
    return found


def _exists(name: str) -> bool:
    """Whether it begins with the name of a module, and not of data such as "grading.marks"."""
    return importlib.util.find_spec(".".join(name.split(".")[:3])) is not None if name.count(".") > 1 else False


def test_nothing_else_reaches_upward_by_name():
    found = {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "grading").rglob("*.py")
        if upward(path) and path.name != "private_apis.py"  # which lists modules, and imports none
    }
    assert found == {"grading/gradebook/configuration.py"}
