"""Which installed distributions bring a module, however they were installed."""

import importlib.metadata
from pathlib import Path

import pytest

from grading.core import installed

FILES = {
    "declared-1.dist-info": {"top_level.txt": "one\ntwo\n", "RECORD": "three.py,,\n"},
    "listed-1.dist-info": {"RECORD": 'four/a.py,sha256=x,1\nfive.py,,\n"six/a,b.py",,\nfour/data.txt,,\nseven.txt,,\n'},
    "old.egg-info": {"SOURCES.txt": "eight/a.py\nnine.py\nREADME\n"},
    "nothing-1.dist-info": {},
}


def names(found: dict[str, list[importlib.metadata.Distribution]]) -> dict[str, list[str]]:
    return {module: [each.metadata["Name"] for each in brought] for module, brought in found.items()}


def test_a_module_is_brought_by_what_declares_or_lists_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for folder, files in FILES.items():
        (tmp_path / folder).mkdir()
        information = {"METADATA": f"Name: {folder[:3]}\n", "PKG-INFO": f"Name: {folder[:3]}\n"}
        for name, text in {**information, **files}.items():
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
    for name in ("eight", "nine.py"):  # for what has no RECORD, importlib looks whether its files are there
        (tmp_path / name).mkdir() if name == "eight" else (tmp_path / name).touch()
    (tmp_path / "eight" / "a.py").touch()
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    brought = {"dec": ("one", "two"), "lis": ("four", "five", "six"), "old": ("eight", "nine")}
    assert names(installed.modules()) == {module: [by] for by, modules in brought.items() for module in modules}


def test_what_is_installed_here_is_what_importlib_finds():
    assert names(installed.modules()) == importlib.metadata.packages_distributions()
