"""`rules.docs.schema.json`: lets editors complete and check a rule file. Made from the shape and the contract.

`python -m paperchute.rules.docs.schema` prints it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from paperchute.contract import Operation, Parameter, contract
from paperchute.rules.settings import EngineShape
from paperchute.rules.shape import FileShape, RuleShape

_TYPES = {"integer": "integer", "number": "number", "array": "array"}
_SWITCH = [True, False, 1, 0, "on", "off", "yes", "no"]


def schema() -> dict[str, Any]:
    """JSON Schema (draft-07, what TOML editors understand) of the whole rule file."""
    whole = FileShape.model_json_schema(by_alias=True)
    definitions = whole["$defs"]
    for operation in contract().all_operations:
        definitions[operation.id] = _parameters(operation)
    cases = [
        {
            "if": {"properties": {"operation": {"const": operation.id}}, "required": ["operation"]},
            "then": {"properties": {"parameters": {"$ref": f"#/$defs/{operation.id}"}}},
        }
        for operation in contract().all_operations
    ]
    for name in ("RuleShape", "StepShape"):
        shape = definitions[name]
        shape["properties"]["operation"] = {
            "description": "What the service is to do, by its contract id.",
            "oneOf": [{"const": o.id, "description": o.title} for o in contract().all_operations],
        }
        shape["allOf"] = cases
    for name in ("match", "except", "kind", "text", "between", "days", "passwords", "partner", "hosts"):
        about = definitions["RuleShape"]["properties"][name]["description"]
        text = {"type": "string", "minLength": 1}
        definitions["RuleShape"]["properties"][name] = {
            "description": about,
            "oneOf": [text, {"type": "array", "items": text, "minItems": 1}],
        }
    for field in definitions["RuleShape"]["properties"].values():
        if field.get("type") == "boolean":
            del field["type"]
            field["enum"] = _SWITCH
    whole["properties"]["engine"] = EngineShape.model_json_schema()
    rule = RuleShape.model_json_schema(by_alias=True)["properties"]
    whole["properties"]["defaults"] = {
        "type": "object",
        "description": FileShape.model_fields["defaults"].description,
        "propertyNames": {"enum": list(rule)},
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Paperchute rule file", **whole}


def _parameters(operation: Operation) -> dict[str, Any]:
    return {
        "type": "object",
        "description": operation.title,
        "additionalProperties": False,
        "properties": {p.name: _parameter(p) for p in operation.parameters if p.name != "file"},
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    about: dict[str, Any] = {"description": parameter.meaning + (f" ({parameter.rule})" if parameter.rule else "")}
    if parameter.default is not None:
        about["default"] = parameter.default
    if parameter.is_secret:
        about["description"] += ": env:NAME, keyring:SERVICE/USER or file:PATH"
    if parameter.is_flag:
        return {**about, "enum": _SWITCH}
    if parameter.format == "json":
        return {**about, "type": ["string", "object", "array"]}
    if parameter.type == "boolean":
        return {**about, "enum": _SWITCH}
    if parameter.values:
        return {**about, "enum": list(parameter.values)}
    return {**about, "type": _TYPES.get(parameter.type, "string")}


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=2)
    sys.stdout.write("\n")
