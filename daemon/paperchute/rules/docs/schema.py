"""`docs/rules.schema.json`: lets editors complete and check a rule file. Made from the model and the contract.

`python -m paperchute.rules.docs.schema` prints it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from paperchute.contract import Operation, Parameter, contract
from paperchute.contract.recognition import AUTOMATIC, SCOPE, SWITCH
from paperchute.rules.keys import BEARING, Table
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.model import RULE_KEYS, RuleKeys
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.page import PageKeys
from paperchute.rules.settings import EngineKeys, FileKeys, NamedServiceKeys, ServiceKeys
from paperchute.rules.tables import Find, Step

_TYPES = {"integer": "integer", "number": "number", "array": "array"}
_SWITCH = [True, False, 1, 0, "on", "off", "yes", "no"]


def schema() -> dict[str, Any]:
    """JSON Schema (draft-07, what TOML editors understand) of the whole rule file."""
    whole = FileKeys.model_json_schema(by_alias=True)
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
    for model in (RuleKeys, Step, Find, ServiceKeys, NamedServiceKeys, NotifyKeys, ModelKeys, PageKeys):
        definitions[model.__name__]["properties"] = keys_of(model)
    for model in (RuleKeys, Step):
        definition = definitions[model.__name__]
        definition["allOf"] = cases
        definition["properties"]["operation"] = {
            **definition["properties"]["operation"],
            "oneOf": [{"const": o.id, "description": o.title} for o in contract().all_operations],
        }
    properties = whole["properties"]
    properties["engine"] = {**EngineKeys.model_json_schema(), "properties": keys_of(EngineKeys)}
    properties["defaults"]["propertyNames"] = {"enum": list(RULE_KEYS)}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Paperchute rule file", **whole}


def keys_of(model: type[Table]) -> dict[str, dict[str, Any]]:
    """The keys of a table of the rule file, as they stand there, with the schema of each."""
    return {name: _key(found) for name, found in model.model_json_schema(by_alias=True)["properties"].items()}


def _key(found: dict[str, Any]) -> dict[str, Any]:
    """One key, without what only we use, and without what cannot stand in TOML: an absent value."""
    found = {name: value for name, value in found.items() if name not in (BEARING, "title")}
    [*one] = [option for option in found.pop("anyOf", ()) if option != {"type": "null"}]
    if one:
        found = {**one[0], **found}
    if found.get("default") in (None, "", [], {}):
        found.pop("default", None)
    if found.get("type") == "boolean":
        del found["type"]
        found["enum"] = _SWITCH
    return found


def _parameters(operation: Operation) -> dict[str, Any]:
    return {
        "type": "object",
        "description": operation.title,
        "additionalProperties": False,
        "properties": {p.name: _parameter(operation, p) for p in operation.parameters if p.is_said},
    }


def _parameter(operation: Operation, parameter: Parameter) -> dict[str, Any]:
    about: dict[str, Any] = {"description": parameter.meaning + (f" ({parameter.rule})" if parameter.rule else "")}
    if parameter.default is not None and not (operation.id in AUTOMATIC and parameter.name in (SWITCH, SCOPE)):
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
