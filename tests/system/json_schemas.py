#!/usr/bin/env python3
"""Compares what --json printed with the schema of its command, strictly: a key that the schema does
not have is an error, so that every key is described.

    json_schemas.py SCHEMAS NAME=FILE...    SCHEMAS: the folder of `heddle schema --write`

Prints each difference; the exit status is 1 if there are some."""
import functools
import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match


def closed(schema):
    """The schema, in which an object may have no other keys than its properties."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and isinstance(schema.get("required"), list):
        result.setdefault("additionalProperties", False)
    return result


@functools.cache
def validator(folder, name):
    schema = json.loads((folder / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(closed(schema))


def differences(folder, name, file):
    for error in validator(folder, name).iter_errors(json.loads(pathlib.Path(file).read_text())):
        inner = best_match([error]) or error
        yield f"{name}: {'/'.join(map(str, inner.absolute_path))}: {inner.message[:200]}"


def main():
    folder, found = pathlib.Path(sys.argv[1]), 0
    for pair in sys.argv[2:]:
        name, _, file = pair.partition("=")
        for text in sorted(set(differences(folder, name, file))):
            print(text)
            found = 1
    return found


sys.exit(main())
