"""nbgrader's check of the metadata of a cell against a schema, which is itself checked once, not with each cell."""

import functools
import json

from jsonschema import exceptions, validators
from jsonschema.protocols import Validator


def validate(instance: object, schema: dict) -> None:
    """As jsonschema's own: ValidationError if the instance breaks the schema, SchemaError if that is none."""
    if error := exceptions.best_match(_validator(json.dumps(schema)).iter_errors(instance)):
        raise error


@functools.cache
def _validator(schema: str) -> Validator:
    found = validators.validator_for(json.loads(schema))
    found.check_schema(json.loads(schema))
    return found(json.loads(schema))
