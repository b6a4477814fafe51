"""What a rule can say, as fields of a form; made of the schema, so that no key and no parameter is out of reach."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import tomli_w

from paperchute.app.first_rules import ON_PAGE
from paperchute.contract import Operation, contract
from paperchute.contract.built_in import OPERATIONS
from paperchute.files.names import expanded, folded
from paperchute.files.placement import numbered
from paperchute.language import _
from paperchute.rules.disclosure import is_told
from paperchute.rules.docs.recipes import RECIPES, Recipe
from paperchute.rules.docs.schema import keys_of, schema
from paperchute.rules.edit import value_of
from paperchute.rules.model import RuleKeys

Kind = Literal["switch", "choice", "number", "lines", "text", "toml"]
"""How a field is filled in: on or off; one of several; a number; one text a line; a text; any value as TOML has it."""

IN_STEPS = ("operation", "parameters", "steps")
"""Keys that the form has as a list of steps."""
_SWITCHES = ("on", "off", "yes", "no")
_POINTER = re.compile(r", see \w+$")
"""To a list of the contract; the form shows the choices themselves."""


@cache
def key_fields() -> Mapping[str, dict[str, Any]]:
    """The keys of a rule but those of its steps."""
    return {name: field_of(name, about) for name, about in keys_of(RuleKeys).items() if name not in IN_STEPS}


@cache
def parameter_fields(operation: str) -> Mapping[str, dict[str, Any]]:
    """The parameters of an operation."""
    found = _whole()["$defs"].get(operation, {}).get("properties", {})
    known = contract().operation(operation)
    meanings = {one.name: _POINTER.sub("", one.meaning) for one in known.parameters} if known else {}
    return {name: field_of(name, about) | {"meaning": meanings[name]} for name, about in found.items()}


def sentences() -> Iterator[str]:
    """What the form tells of keys, operations and recipes, for the catalogues: it stands in no call of the code."""
    yield from (about["meaning"] for about in key_fields().values())
    for operation in contract().all_operations:
        yield operation.title
        yield from (about["meaning"] for about in parameter_fields(operation.id).values())
    for recipe in RECIPES:
        yield from (recipe.title, recipe.about, _rule_of(recipe)["name"])


@cache
def _whole() -> dict[str, Any]:
    return schema()


def form(*, remote: bool, taken: Collection[Path] = ()) -> dict[str, Any]:
    """All fields, and what a rule can begin with, as JSON's values.

    remote: another service than ours does the work. taken: hot folders that rules have, so that none of them is
    proposed for another.
    """
    operations = [one for one in contract().all_operations if remote or one.id in OPERATIONS]
    return {
        "keys": [translated(about) for about in key_fields().values()],
        "operations": [_operation(one, remote=remote) for one in operations],
        "recipes": [
            *(
                {"title": _(one.rule["name"]), "about": _(one.about, folder=f"~/Hot/{one.name}"), **values_of(rule)}
                for one in ON_PAGE
                if not (remote and _asks_for_ours(one.rule))
                for rule in [{**one.rule, "name": _(one.rule["name"]), "folder": _free(f"~/Hot/{one.name}", taken)}]
            ),
            *(
                {"title": _(one.title), "about": _(one.about), **values_of(rule)}
                for one in RECIPES
                for made in [_rule_of(one)]
                if not (remote and _asks_for_ours(made))
                for rule in [{**made, "name": _(made["name"]), "folder": _free(made["folder"], taken)}]
            ),
        ],
    }


def _asks_for_ours(rule: Mapping[str, Any]) -> bool:
    """Decide whether a rule names an operation that no other service knows."""
    return any(contract().known(step["operation"]).is_ours for step in rule.get("steps", [rule]))


def _free(folder: str, taken: Collection[Path]) -> str:
    """A hot folder that no rule has: the one that was meant, or that with a number."""
    known = set(map(folded, taken))
    return next(one.as_posix() for one in numbered(Path(folder)) if folded(expanded(str(one))) not in known)


def values_of(rule: Mapping[str, Any]) -> dict[str, Any]:
    """What a rule of the file says, as its fields are filled in; of `lines` a list, since no text of several leaves."""
    fields = key_fields()
    return {
        "values": {key: filled(fields.get(key), key, value) for key, value in rule.items() if key not in IN_STEPS},
        "steps": [
            {
                "operation": step["operation"],
                "parameters": {
                    name: filled(parameter_fields(step["operation"]).get(name), name, value)
                    for name, value in step["parameters"].items()
                },
            }
            for step in steps_of(rule)
        ],
    }


def steps_of(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a rule of the file, each with its operation and parameters, and whom it names to do it."""
    listed = rule.get("steps") or ([rule] if "operation" in rule else [])
    asked = ("service", "or") if rule.get("steps") else ()  # else the rule names them
    return [
        {
            "operation": str(one["operation"]),
            "parameters": dict(one.get("parameters", {})),
            **{key: one[key] for key in asked if key in one},
        }
        for one in listed
    ]


def value_from(kind: Kind, text: str, options: list[Any]) -> Any:
    """The value that a field means as it is filled in."""
    match kind:
        case "switch":
            return text == "on"
        case "choice":
            return next((option for option in options if str(option) == text), text)
        case "number" | "toml":
            return value_of(text)
        case "lines":
            [*lines] = filter(None, map(str.strip, text.split("\n")))
            return lines[0] if len(lines) == 1 else lines
        case "text":
            return text


def filled(field: Mapping[str, Any] | None, key: str, value: Any) -> dict[str, Any]:
    """A value as its field shows it; as TOML where it is of no shape that the field has."""
    if not is_told(value, key):
        return {"hidden": True}
    kind = field["kind"] if field else "toml"
    match kind, value:
        case "switch", bool() | 0 | 1 | "on" | "off" | "yes" | "no":
            return {"kind": kind, "text": "on" if value in (True, "on", "yes") else "off"}
        case "choice", _ if field and value in field["options"] and not isinstance(value, bool):
            return {"kind": kind, "text": str(value)}
        case "number", int() | float() if not isinstance(value, bool):
            return {"kind": kind, "text": str(value)}
        case "text", str() if value.isprintable():
            return {"kind": kind, "text": value}
        case "lines", str() if _is_line(value):
            return {"kind": kind, "text": value}
        case "lines", [_, _, *_] if all(map(_is_line, value)):
            return {"kind": kind, "text": value}
    return {"kind": "toml", "text": as_toml(value)}


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and value.strip() == value != ""


def as_toml(value: Any) -> str:
    """A value in one line, as it could stand behind `key = `."""
    match value:
        case Mapping():
            return "{ " + ", ".join(f"{as_toml(name)} = {as_toml(its)}" for name, its in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(as_toml, value)) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def _operation(operation: Operation, *, remote: bool) -> dict[str, Any]:
    return {
        "id": operation.id,
        "title": _(operation.title),
        "takes": ", ".join(operation.read_remotely if remote else operation.reads),
        "gives": operation.output_ext,
        "parameters": [_parameter(operation, about) for about in parameter_fields(operation.id).values()],
    }


def _rule_of(recipe: Recipe) -> dict[str, Any]:
    rule: dict[str, Any] = tomllib.loads(recipe.rule)["rule"][0]
    return rule


def translated(about: Mapping[str, Any]) -> dict[str, Any]:
    """A field with its meaning in the language of the page."""
    return {**about, "meaning": _(about["meaning"])}


def _parameter(operation: Operation, about: Mapping[str, Any]) -> dict[str, Any]:
    field = translated(about)
    if any(one.is_secret for one in operation.parameters if one.name == about["name"]):
        field["meaning"] = _("{meaning}: env:NAME, keyring:SERVICE/USER or file:PATH", meaning=field["meaning"])
    return field


def field_of(name: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """A key as a field. about: its JSON Schema."""
    options = list(about.get("enum", ()))
    shapes = [about, *about.get("oneOf", ())]
    if set(_SWITCHES) <= {one for one in options if isinstance(one, str)}:
        kind: Kind = "switch"
        options = []
    elif options:
        kind = "choice"
    elif any(one.get("type") == "array" and one.get("items", {}).get("type") == "string" for one in shapes):
        kind = "lines"
    elif about.get("type") in ("integer", "number"):
        kind = "number"
    elif about.get("type") == "string":
        kind = "text"
    else:
        kind = "toml"
    default = about.get("default")
    examples = about.get("examples", ())
    return {
        "name": name,
        "kind": kind,
        "options": options,
        "meaning": about.get("description", ""),
        "default": "" if default is None else _shown(kind, default),
        "example": as_toml(examples[0]) if examples else "",
    }


def _shown(kind: Kind, value: Any) -> str:
    if kind == "switch":
        return "on" if value in (True, 1) else "off"
    return value if isinstance(value, str) else as_toml(value)
