"""Checks against schemas as others make them, without what they do again each time.

nbgrader checks a cell's metadata, and the schema itself once per cell. nbformat checks a whole notebook by a program
that is compiled from its schema, but each output by reading the schema again.
"""

import functools
import json
from importlib import resources

import nbformat
from jsonschema import ValidationError, exceptions, validators
from jsonschema.protocols import Validator
from nbformat.json_compat import FastJsonSchemaValidator
from nbformat.v4 import nbformat as VERSION
from nbformat.v4 import nbformat_schema


def validate(instance: object, schema: dict) -> None:
    """As jsonschema's own: ValidationError if the instance breaks the schema, SchemaError if that is not valid."""
    if error := exceptions.best_match(_validator(json.dumps(schema)).iter_errors(instance)):
        raise error


def validate_node(node: object, ref: str | None = None) -> None:
    """As `nbformat.v4.nbbase.validate`: a notebook, or one part of it, which `ref` names.

    Errors  nbformat's ValidationError, in its own words, for what is not as its schema says.
    """
    if ref and isinstance(node, dict) and node.get("output_type") == ref:
        try:
            _of_outputs().validate(node)
            return
        except ValidationError:
            pass  # nbformat says better what is wrong
    nbformat.validate(node, ref=ref, version=VERSION)


@functools.cache
def _validator(schema: str) -> Validator:
    read = json.loads(schema)
    kind = validators.validator_for(read)
    kind.check_schema(read)
    return kind(read)


@functools.cache
def _of_outputs() -> FastJsonSchemaValidator:
    whole = json.loads((resources.files("nbformat.v4") / nbformat_schema[None, None]).read_text(encoding="utf-8"))
    kept = {name: whole[name] for name in ("$schema", "definitions")}
    return FastJsonSchemaValidator({**kept, "$ref": "#/definitions/output"})
