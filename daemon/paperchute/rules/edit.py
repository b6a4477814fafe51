"""Changing a rule file for its owner: from text to text, with every comment and the order as they were."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tomlkit
from tomlkit.items import AoT, InlineTable

from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import _
from paperchute.rules.toml import Places


@dataclass(frozen=True)
class Draft:
    """A rule that is to be added. parameters: of each operation, in order. more: other keys of the rule."""

    name: str
    folder: str
    operations: Sequence[str]
    parameters: Sequence[Mapping[str, Any]] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


def value_of(text: str) -> Any:
    """A value from the command line: a TOML number, switch, list or table if it is one, else the text itself."""
    try:
        found = tomllib.loads(f"x = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    value = found["x"]
    plain = len(found) == 1 and isinstance(value, bool | int | float | str | list | dict)
    return value if plain else text


def with_rule(text: str, draft: Draft) -> str:
    """The file with one more rule at its end, which is where it gets what no rule before it takes."""
    _rules(text)
    table = tomlkit.table()
    table["name"] = draft.name
    table["folder"] = draft.folder
    if len(draft.operations) == 1:
        table["operation"] = draft.operations[0]
        if draft.parameters and draft.parameters[0]:
            table["parameters"] = _inline(draft.parameters[0])
    else:
        listed = tomlkit.array().multiline(True)
        for number, operation in enumerate(draft.operations):
            given = draft.parameters[number] if number < len(draft.parameters) else {}
            listed.append(_inline({"operation": operation, **({"parameters": given} if given else {})}))
        table["steps"] = listed
    for key, value in draft.more.items():
        table[key] = value
    rules = tomlkit.aot()
    rules.append(table)
    addition = tomlkit.document()
    addition["rule"] = rules
    return text.rstrip("\n") + "\n\n" + tomlkit.dumps(addition).strip("\n") + "\n"


def without_rule(text: str, name: str) -> str:
    """The file without the rule of that name, and without the comments that stand right above and right below it."""
    number = _number(text, name)
    headers = Places(text).headers
    lines = text.split("\n")
    starts = [line for path, line in headers if path == ("rule", number)]
    after = [line for path, line in headers if line > starts[0] and path[:2] != ("rule", number)]
    begin = _with_comment(lines, starts[0] - 1)
    end = _last_written(lines, after[0] - 1 if after else len(lines))
    kept = lines[end:] if lines[end:] and lines[end].strip() else lines[end + 1 :]
    return "\n".join(lines[:begin] + kept).rstrip("\n") + "\n"


def switched(text: str, name: str, *, on: bool) -> str:
    """The file with the rule of that name switched on or off."""
    number = _number(text, name)
    document = tomlkit.parse(text)
    rules = document["rule"]
    assert isinstance(rules, AoT)
    table = rules[number]
    if not on:
        table["enabled"] = False
    elif "enabled" in table:
        del table["enabled"]
        if document.get("defaults", {}).get("enabled") is not None:
            table["enabled"] = True
    return tomlkit.dumps(document)


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    for key, value in values.items():
        table[key] = _inline(value) if isinstance(value, Mapping) else value
    return table


def _rules(text: str) -> list[dict[str, Any]]:
    rules = tomllib.loads(text).get("rule", [])
    if isinstance(rules, list) and not any(path[:1] == ("rule",) for path, _line in Places(text).headers) and rules:
        raise PaperchuteError(
            _("The rules of this file stand in one list, rule = [...]."), _("Write each as [[rule]] to have it edited.")
        )
    return rules if isinstance(rules, list) else []


def _number(text: str, name: str) -> int:
    names = [rule.get("name") for rule in _rules(text)]
    if name not in names:
        raise PaperchuteError(
            _("There is no rule {name}.", name=repr(name)), _("`{command}` shows them.", command=command("rule list"))
        )
    return names.index(name)


def _last_written(lines: Sequence[str], end: int) -> int:
    """The line after the last one of a table, and after comments that follow it without a blank line between."""
    line = end
    while not lines[line - 1].strip() or lines[line - 1].lstrip().startswith("#"):
        line -= 1
    while line < end and lines[line].lstrip().startswith("#"):
        line += 1
    return line if line < end or end == len(lines) else _with_comment(lines, end)


def _with_comment(lines: Sequence[str], line: int) -> int:
    """Where the comment begins that stands, without a blank line between, above `line` (both from 0)."""
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line
