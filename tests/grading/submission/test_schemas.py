"""nbgrader's checks of metadata, and nbformat's of outputs, refuse what they refused, and no schema is read twice."""

from collections.abc import Callable

import jsonschema
import nbformat
import pytest
from jsonschema import validators
from nbformat.v4 import nbbase
from nbgrader.nbgraderformat import MetadataValidator

from grading.submission import nbgrader_patches, schemas

MARKS = {"grade_id": "a", "grade": True, "points": 2, "solution": False, "locked": True, "task": False}
MARKS |= {"schema_version": 3, "cell_type": "code"}


def error(check: Callable, *given: object) -> str:
    with pytest.raises(jsonschema.ValidationError) as raised:
        check(*given)
    return str(raised.value)


def test_a_schema_is_checked_once_and_metadata_each_time(monkeypatch: pytest.MonkeyPatch):
    checked = []
    monkeypatch.setattr(nbgrader_patches.common, "jsonschema", schemas)
    monkeypatch.setattr(validators.Draft4Validator, "check_schema", lambda *_, **__: checked.append(1))
    schemas._validator.cache_clear()
    for points in (2, 3, "two", 4):
        cell = nbformat.from_dict({"cell_type": "code", "metadata": {"nbgrader": {**MARKS, "points": points}}})
        if points == "two":
            assert "'two' is not of type" in error(MetadataValidator().validate_cell, cell)
        else:
            MetadataValidator().validate_cell(cell)
    assert checked == [1]
    schemas._validator.cache_clear()


@pytest.mark.parametrize("broken", [{"points": "two"}, {"grade": 1, "locked": None}, {"cell_type": "none"}])
def test_what_breaks_a_schema_is_told_as_jsonschema_tells_it(broken: dict):
    schema, metadata = MetadataValidator().schema, {**MARKS, **broken}
    assert error(schemas.validate, metadata, schema) == error(jsonschema.validate, metadata, schema)


def test_what_is_no_schema_is_refused():
    with pytest.raises(jsonschema.SchemaError):
        schemas.validate(1, {"type": 5})


OUTPUTS = [
    {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
    {"output_type": "display_data", "data": {"text/plain": "1", "application/json": {"a": [1]}}, "metadata": {"b": 1}},
    {"output_type": "execute_result", "data": {}, "metadata": {}, "execution_count": None},
    {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
]
BROKEN = [
    {"output_type": "stream", "name": "stdout", "text": 1},
    {"output_type": "stream", "name": "stdout", "text": "a", "more": 1},
    {"output_type": "display_data", "data": {"text/plain": {}}, "metadata": {}},
    {"output_type": "execute_result", "data": {}, "metadata": {}, "execution_count": -1},
    {"output_type": "execute_result", "data": {}, "metadata": {}, "execution_count": 1.0},
    {"output_type": "error", "ename": "E", "evalue": ""},
    {"output_type": "error", "ename": "E", "evalue": "", "traceback": [1]},
]


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output["output_type"])
def test_an_output_is_checked_without_reading_the_schema_again(output: dict, monkeypatch: pytest.MonkeyPatch):
    def read_again(*_: object, **__: object) -> None:
        raise AssertionError("nbformat has read its schema")

    monkeypatch.setattr(schemas.nbformat, "validate", read_again)
    schemas.validate_node(nbformat.from_dict(output), output["output_type"])


@pytest.mark.parametrize("output", BROKEN, ids=str)
def test_an_output_that_breaks_its_schema_is_told_as_nbformat_tells_it(output: dict):
    node, kind = nbformat.from_dict(output), output["output_type"]
    with pytest.raises(nbformat.ValidationError) as raised:
        nbformat.validate(node, ref=kind, version=4)
    with pytest.raises(nbformat.ValidationError) as ours:
        schemas.validate_node(node, kind)
    assert str(ours.value) == str(raised.value)


@pytest.mark.parametrize("output", [OUTPUTS[0], {"output_type": "none"}, 5, []], ids=str)
def test_what_is_no_output_of_the_kind_that_was_asked_for_is_refused(output: object):
    with pytest.raises(nbformat.ValidationError):
        schemas.validate_node(nbformat.from_dict(output), "error")


def test_a_cell_and_a_notebook_are_checked_by_nbformat_itself():
    cell = {"cell_type": "raw", "id": "a", "source": "", "metadata": {}}
    schemas.validate_node(nbformat.from_dict(cell), "raw_cell")
    with pytest.raises(nbformat.ValidationError):
        schemas.validate_node(nbformat.from_dict({**cell, "source": 1}), "raw_cell")
    with pytest.raises(nbformat.ValidationError):
        schemas.validate_node(nbformat.from_dict({"cells": [], "metadata": 1, "nbformat": 4, "nbformat_minor": 5}))


def test_nbgrader_and_nbformat_call_them():
    nbgrader_patches.guard()
    assert nbgrader_patches.common.jsonschema is schemas and nbbase.validate is schemas.validate_node
