"""nbgrader's checks of metadata refuse what they refused, and check no schema twice."""

from collections.abc import Callable

import jsonschema
import nbformat
import pytest
from jsonschema import validators
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


def test_nbgrader_calls_it():
    nbgrader_patches.guard()
    assert nbgrader_patches.common.jsonschema is schemas
