"""What goes to workers of others: calls that need none of our code until they are made, and what they know left out."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import Config

from grading.classroom import inputs, pickled_call, worker


def opened(call: bytes, folder: Path) -> str:
    """What a Python without our code says that opens a call."""
    (folder / "call").write_bytes(call)
    code = "import pickle\ntry: print(pickle.load(open('call', 'rb')))\nexcept Exception as error: print(repr(error))"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_a_call_is_made_when_it_is_opened_and_only_then():
    found: list[int] = []
    call = pickled_call.call(sum, [1, 2])
    assert type(call) is bytes and pickled_call.OPEN(call) == 3
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickled_call.call(lambda: found.append(1))  # which nobody else can import
    assert found == []


def test_who_lacks_our_code_says_so(tmp_path: Path):
    assert opened(pickled_call.call(sum, [1, 2]), tmp_path) == "3"
    said = opened(pickled_call.call(worker.grade, None), tmp_path)
    assert (
        said == """ModuleNotFoundError("No module named 'grading'")""" and ModuleNotFoundError.__mro__[1] is ImportError
    )
    assert ImportError in pickled_call.UNREADABLE


def test_a_class_that_is_written_in_the_configuration_goes_along():
    held: dict = {}
    exec("points = 4.0\nclass Late:\n    def penalty(self):\n        return points", held)  # as traitlets reads it
    config = Config(AssignLatePenalties={"plugin_class": held["Late"]}, Judge={"sandbox": "none"})
    given = inputs.Inputs(b"files", config, "", {}, "its hash")
    found = pickled_call.OPEN(pickled_call.call(next, iter([given])))
    assert found.config.AssignLatePenalties.plugin_class().penalty() == 4.0
    assert (found.archive, found.config.Judge, found.digest) == (b"files", config.Judge, "its hash")


def test_inputs_without_their_archive_are_made_whole_by_a_process_that_has_kept_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inputs, "_kept", {})
    given = inputs.Inputs(b"files", Config(), "", {}, "", archived="its hash")
    bare = given.without_archive()
    assert b"files" not in pickle.dumps(bare)
    with pytest.raises(inputs.NotKept):
        bare.with_archive()
    inputs.keep("its hash", b"files")
    assert bare.with_archive() == given
    inputs.keep("another", b"others")
    with pytest.raises(inputs.NotKept):
        bare.with_archive()
    assert given.with_archive() == given and bare.with_archive() == given  # whole once, it is kept


def test_workers_on_this_disk_read_the_archive_once_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(inputs, "_kept", {})
    given = inputs.Inputs(b"files", Config(), "", {}, "", archived="its-hash")
    bare = given.in_file(tmp_path)
    assert bare == given.in_file(tmp_path) and b"files" not in pickle.dumps(bare)
    assert bare.with_archive().archive == b"files"
    (tmp_path / "its-hash").unlink()
    assert bare.with_archive().archive == b"files"


def test_a_result_has_no_files_that_the_parent_has_given():
    archive = inputs._archive({"source/small/data.csv": b"1,2", "source/small/table.csv": b"3,4"})
    found = {
        ".": (0o755, None),
        "data.csv": (0o644, b"1,2"),
        "table.csv": (0o644, b"changed"),
        "part.ipynb": (0o444, b"5"),
    }
    given = inputs.Inputs(archive, Config(), "", {}, "")
    sent = worker.without_given(found, given, "small")
    assert sent == {**found, "data.csv": (0o644, worker.AS_GIVEN)}
    assert worker.digest(found, ["data.csv"]) == worker.digest(sent, ["data.csv"]) != worker.digest(found)
    assert worker.digest({**found, "empty.txt": (0o444, b"")}) != worker.digest(found)
