"""nbgrader's check of a cell's metadata against a schema; the schema itself is checked once, not once per cell."""

import functools
import json

from jsonschema import exceptions, validators
from jsonschema.protocols import Validator


def validate(instance: object, schema: dict) -> None:
    """As jsonschema's own: ValidationError if the instance breaks the schema, SchemaError if that is not valid."""
    if error := exceptions.best_match(_validator(json.dumps(schema)).iter_errors(instance)):
        raise error


@functools.cache
def _validator(schema: str) -> Validator:
    read = json.loads(schema)
    kind = validators.validator_for(read)
    kind.check_schema(read)
    return kind(read)
