"""The rows of parameters.toml, one for each operation and parameter, and docs/parameters.md made of them.

`python -m tests.engine.operations.parameter_rows > docs/parameters.md` writes that page anew.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paperchute.contract import contract
from paperchute.engine.operations import implemented

_RAW = tomllib.loads(Path(__file__).with_name("parameters.toml").read_text("utf-8"))

_HEAD = """# What each parameter does
<!-- Made by `python -m tests.engine.operations.parameter_rows > docs/parameters.md` -->
Every parameter of every operation that the built-in engine does. Each line stands in
tests/engine/operations/parameters.toml and is proved by a test that makes the call:

- **effect**: the result differs from the one without it, or what a person is asked beside it.
- **refused**: the call is refused, or the file fails, with a sentence that says what to do.
- **reported**: it changes nothing, and the job ends as "done with warnings" that say so; `paperchute check` says it too
  where the rule alone shows it.

[rules.md](rules.md) has the values that each takes and its default. `language` changes the words of messages only.
"""
_WORDS = {"output": "effect", "asked": "effect", "message": "effect", "refused": "refused", "warned": "reported"}


@dataclass(frozen=True)
class Row:
    """What one parameter of one operation comes to, and how that is seen. See parameters.toml."""

    operation: str
    parameter: str
    effect: str
    on: str
    value: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    warning: str = ""
    when: str = ""
    slow: bool = False
    differs: bool = False

    def __str__(self) -> str:
        return "-".join(part for part in (self.operation, self.parameter, self.effect, self.value[:12]) if part)


def rows() -> list[Row]:
    """All rows, by operation and parameter in the order of the contract."""
    found = [row for raw in _RAW["row"] for row in _expanded(raw)]
    order = {
        (operation.id, parameter.name): number
        for operation in contract().operations.values()
        for number, parameter in enumerate(operation.parameters)
    }
    operations = [*contract().operations]
    return sorted(
        found, key=lambda row: (operations.index(row.operation), order.get((row.operation, row.parameter), 0))
    )


def _expanded(raw: Mapping[str, Any]) -> Iterator[Row]:
    operations = [id_ for name in raw["operations"] for id_ in _RAW["groups"].get(name, [name])]
    slow = raw.get("slow", False)
    for id_ in dict.fromkeys(operations):
        needed = _RAW["needed"].get(id_, {})
        beside = {**needed, **raw.get("beside", {}), **raw.get("beside_for", {}).get(id_, {})}
        for name in raw.get("parameters") or [raw["parameter"]]:
            yield Row(
                operation=id_,
                parameter=name,
                effect=raw["effect"],
                on=raw.get("on") or _usual_document(id_),
                value=raw.get("value", ""),
                beside=beside,
                code=raw.get("code", ""),
                warning=raw.get("warning", ""),
                when=raw.get("when", ""),
                slow=slow is True or (slow is not False and id_ in slow),
                differs=raw.get("differs", False),
            )


def _usual_document(operation: str) -> str:
    group = next(name for name in ("pdf", "img", "") if not name or operation in _RAW["groups"][name])
    return str(_RAW["documents"].get(operation) or _RAW["documents"][group])


def page() -> str:
    """docs/parameters.md."""
    parts = [_HEAD]
    found = rows()
    for operation in contract().operations.values():
        if operation.id not in implemented():
            continue
        parts.append(f"## {operation.id}\n| parameter | comes to |\n| --- | --- |\n")
        for parameter in operation.parameters:
            own = [row for row in found if (row.operation, row.parameter) == (operation.id, parameter.name)]
            parts.append(f"| `{parameter.name}` | {'; '.join(dict.fromkeys(map(_told, own)))} |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def _told(row: Row) -> str:
    word = f"**{_WORDS[row.effect]}**"
    if not row.when:
        return word
    return f"{word}: {row.when}" if row.when.startswith("always") else f"{word} where {row.when}"


if __name__ == "__main__":
    sys.stdout.write(page())
