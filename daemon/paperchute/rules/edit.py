"""Changing a rule file for its owner: from text to text, with every comment and the order as they were."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import _
from paperchute.rules.problems import KeyPath
from paperchute.rules.toml import Places

_INNER_HEADER = re.compile(r"\s*\[{1,2}\s*[\w-]+\s*\.")


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
    keys: dict[str, Any] = {"name": draft.name, "folder": draft.folder}
    if len(draft.operations) == 1:
        keys["operation"] = draft.operations[0]
        if draft.parameters and draft.parameters[0]:
            keys["parameters"] = draft.parameters[0]
    else:
        given = [*draft.parameters, *({} for _ in draft.operations)]
        keys["steps"] = [
            {"operation": operation, **({"parameters": given[number]} if given[number] else {})}
            for number, operation in enumerate(draft.operations)
        ]
    return with_keys(text, {**keys, **draft.more})


def with_keys(text: str, keys: Mapping[str, Any]) -> str:
    """The file with one more rule at its end, of these keys and values."""
    _rules(text)
    table = tomlkit.table()
    for key, value in keys.items():
        table[key] = _item(value)
    rules = tomlkit.aot()
    rules.append(table)
    addition = tomlkit.document()
    addition["rule"] = rules
    return _with_end(text) + tomlkit.dumps(addition).strip("\n") + "\n"


def with_values(text: str, name: str, keys: Mapping[str, Any]) -> str:
    """The file in which the rule of that name has these keys and values and no others.

    What is the same already stays as it is written. Raises PaperchuteError where that cannot be done without touching
    anything else.
    """
    number = _number(text, name)
    changed = _with_values(text, number, keys)
    rules = _rules(text)
    rules[number] = dict(keys)
    return _as_meant(text, changed, rule=rules)


def with_copy(text: str, name: str, keys: Mapping[str, Any]) -> str:
    """The file with a copy of the rule of that name at its end, comments and all, that has these keys and values."""
    rules = _rules(text)
    begin, end = _span(text, _number(text, name))
    block = "\n".join(text.split("\n")[begin:end])
    changed = _with_values(_with_end(text) + block.strip("\n") + "\n", len(rules), keys)
    return _as_meant(text, changed, rule=[*rules, dict(keys)])


def with_table(text: str, path: Sequence[str], keys: Mapping[str, Any]) -> str:
    """Give the file whose table of that path, such as `[service]`, has these keys and values and no others.

    A new one stands before the first rule. Raises PaperchuteError as `with_values` does.
    """
    meant = tomllib.loads(text)
    above = reduce(lambda inside, name: inside.setdefault(name, {}), path[:-1], meant)
    if not isinstance(above, dict):
        raise _elsewhere()
    if path[-1] in above:
        begin, end = _span_of_table(text, path)
        changed = _with_block(text, begin, end, keys, lambda document: reduce(getitem, path, document))
    else:
        table = tomlkit.table()
        for key, value in keys.items():
            table[key] = _item(value)
        document = tomlkit.document()
        document[path[0]] = _nested(path[1:], table)
        lines = text.split("\n")
        place = _span(text, 0)[0] if _rules(text) else len(lines)
        before = _with_end("\n".join(lines[:place])) if any(map(str.strip, lines[:place])) else ""
        changed = before + tomlkit.dumps(document).strip("\n") + "\n" + "".join(f"\n{line}" for line in lines[place:])
    above[path[-1]] = dict(keys)
    return _as_meant(text, changed, **{path[0]: meant[path[0]]})


def moved(text: str, name: str, by: int) -> str:
    """The file in which the rule of that name has changed places with the one before (-1) or behind it (1)."""
    rules = _rules(text)
    first, second = sorted((number := _number(text, name), number + by))
    if first < 0 or second >= len(rules):
        return text
    lines = text.split("\n")
    (begin, middle), (start, end) = _span(text, first), _span(text, second)
    swapped = [*lines[:begin], *lines[start:end], *lines[middle:start], *lines[begin:middle], *lines[end:]]
    rules[first], rules[second] = rules[second], rules[first]
    return _as_meant(text, "\n".join(swapped), rule=rules)


def blocks(text: str) -> list[str]:
    """Return what stands in the file for each of its rules, with its comments."""
    count = len(_rules(text))
    headers, lines = Places(text).headers, text.split("\n")
    return ["\n".join(lines[slice(*_span_of(lines, headers, number))]) for number in range(count)]


def without_rule(text: str, name: str) -> str:
    """The file without the rule of that name, and without the comments that stand right above and right below it."""
    begin, end = _span(text, _number(text, name))
    lines = text.split("\n")
    kept = lines[end:] if lines[end:] and lines[end].strip() else lines[end + 1 :]
    return "\n".join(lines[:begin] + kept).rstrip("\n") + "\n"


def switched(text: str, name: str, *, on: bool) -> str:
    """The file with the rule of that name switched on or off."""
    keys = dict(_rules(text)[_number(text, name)])
    if not on:
        keys["enabled"] = False
    elif tomllib.loads(text).get("defaults", {}).get("enabled") is not None:
        keys["enabled"] = True
    else:
        keys.pop("enabled", None)
    return with_values(text, name, keys)


def _item(value: Any) -> Any:
    """A value as it is written into a rule: tables in one line each, and a list of them in several."""
    if isinstance(value, Mapping):
        return _inline(value)
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        listed = tomlkit.array().multiline(True)
        for one in value:
            listed.append(_inline(one))
        return listed
    return value


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    for key, value in values.items():
        table[key] = _inline(value) if isinstance(value, Mapping) else value
    return table


def _with_values(text: str, number: int, keys: Mapping[str, Any]) -> str:
    begin, end = _span(text, number)
    return _with_block(text, begin, end, keys, lambda document: document["rule"][0])


def _with_block(
    text: str, begin: int, end: int, keys: Mapping[str, Any], found: Callable[[Any], MutableMapping[str, Any]]
) -> str:
    """Edits what stands in these lines alone: to tomlkit, comments below a table would belong to it."""
    lines = text.split("\n")
    end = _last_of_table(lines, end)
    try:
        document = tomlkit.parse("\n".join(lines[begin:end]) + "\n")
        _bring(found(document), keys)
        block = _with_headers(lines[begin:end], tomlkit.dumps(document))
    except (TOMLKitError, ValueError, RecursionError, TypeError) as error:  # it is stricter than what reads the rules
        raise _elsewhere() from error
    return "\n".join([*lines[:begin], *block.rstrip("\n").split("\n"), *lines[end:]])


def _with_headers(was: Sequence[str], block: str) -> str:
    """The block with its headers as they were: tomlkit spaces `[rule.parameters]` as it finds `[[ rule ]]` spaced."""
    headers = {"".join(line.split()): line for line in was if _INNER_HEADER.match(line)}
    lines = block.split("\n")
    return "\n".join(headers.get("".join(line.split()), line) if _INNER_HEADER.match(line) else line for line in lines)


def _bring(table: MutableMapping[str, Any], keys: Mapping[str, Any]) -> None:
    """Make a table of the file say what it should, and leave alone what says so already."""
    for key in [key for key in table if key not in keys]:
        del table[key]
    for key, value in keys.items():
        old = table.get(key)
        if isinstance(old, MutableMapping) and isinstance(value, Mapping):
            _bring(old, value)
        elif (tables := _tables(old)) and (wishes := _tables(value)) and len(tables) == len(wishes):
            for its, wanted in zip(tables, wishes, strict=True):
                _bring(its, wanted)
        elif key not in table or not _same(old, value):
            table[key] = _item(value)


def _tables(value: Any) -> list[Any]:
    """The value, where it is a list of tables."""
    return value if isinstance(value, list) and all(isinstance(one, Mapping) for one in value) else []


def _same(old: Any, value: Any) -> bool:
    """Decide whether two values are one; True is no 1 here."""
    plain = old.unwrap() if hasattr(old, "unwrap") else old
    return bool(plain == value) and isinstance(plain, bool) == isinstance(value, bool)


def _as_meant(text: str, changed: str, **meant: Any) -> str:
    """The changed text, if it differs from the old one in these keys as it should, and in nothing else."""
    try:
        found = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        found = {}
    if found != {**tomllib.loads(text), **meant}:
        raise _elsewhere()
    return changed


def _elsewhere() -> PaperchuteError:
    return PaperchuteError(
        _("This cannot be changed here without touching other parts of the file."),
        _("Change it in the file itself."),
    )


def _rules(text: str) -> list[dict[str, Any]]:
    rules = tomllib.loads(text).get("rule", [])
    if isinstance(rules, list) and not any(path[:1] == ("rule",) for path, _line in Places(text).headers) and rules:
        raise PaperchuteError(
            _("The rules of this file are one list, rule = [...]."), _("Write each as [[rule]] to have it edited.")
        )
    return rules if isinstance(rules, list) else []


def _number(text: str, name: str) -> int:
    names = [rule.get("name") for rule in _rules(text)]
    if name not in names:
        raise PaperchuteError(
            _("There is no rule {name}.", name=repr(name)), _("`{command}` shows them.", command=command("rule list"))
        )
    return names.index(name)


def _span(text: str, number: int) -> tuple[int, int]:
    """The lines, from 0, of a rule with its comments: the first, and the one behind the last."""
    return _span_of(text.split("\n"), Places(text).headers, number)


def _span_of(lines: Sequence[str], headers: Sequence[tuple[KeyPath, int]], number: int) -> tuple[int, int]:
    starts = [line for path, line in headers if path == ("rule", number)]
    after = [line for path, line in headers if line > starts[0] and path[:2] != ("rule", number)]
    return _with_comment(lines, starts[0] - 1), _last_written(lines, after[0] - 1 if after else len(lines))


def _nested(path: Sequence[str], table: Table) -> Table:
    """Give a table below others, none of which has a header of its own."""
    for name in reversed(path):
        below, table = table, tomlkit.table(is_super_table=True)
        table[name] = below
    return table


def _span_of_table(text: str, name: Sequence[str]) -> tuple[int, int]:
    """The lines, from 0, of a table with those below it: its header, and the one behind the last."""
    headers = Places(text).headers
    starts = [line for path, line in headers if path == tuple(name)]
    if not starts:
        raise _elsewhere()
    after = [line for path, line in headers if line > starts[0] and path[: len(name)] != tuple(name)]
    return starts[0] - 1, after[0] - 1 if after else len(text.split("\n"))


def _last_written(lines: Sequence[str], end: int) -> int:
    """The line after the last one of a table, and after comments that follow it without a blank line between."""
    line = _last_of_table(lines, end)
    while line < end and lines[line].lstrip().startswith("#"):
        line += 1
    return line if line < end or end == len(lines) else _with_comment(lines, end)


def _last_of_table(lines: Sequence[str], end: int) -> int:
    """The line after the last one of a table that is neither blank nor a comment."""
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end


def _with_end(text: str) -> str:
    """A text behind which a rule can stand: with a blank line at its end."""
    ends = len(text) - len(text.rstrip("\n"))
    return text + "\n" * max(0, 2 - ends)


def _with_comment(lines: Sequence[str], line: int) -> int:
    """Return where the comment begins that stands, without a blank line between, above `line` (both from 0)."""
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line
