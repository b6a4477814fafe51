"""Cells of the reference's tables: what a key takes, its default, a value as a rule file has it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def row(cells: Sequence[str]) -> str:
    """Write one row of a table."""
    return f"| {' | '.join(map(cell, cells))} |"


def takes(found: Mapping[str, Any]) -> str:
    """Return what a key takes, in a word or two."""
    options = found.get("oneOf", ())
    match found:
        case {"enum": [True, False, *_]}:
            return "on or off"
        case {"enum": values}:
            return " | ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"type": "array"}:
            return "list of tables"
        case {"type": "object"}:
            return "table"
        case {"type": "number" | "integer"}:
            return "number"
        case {"type": ["integer", "string"]}:
            return "number or text"
    if any("pattern" in option for option in options):
        return "size" if any("A-Z" in option.get("pattern", "") for option in options) else "days"
    if any(option.get("type") == "number" for option in options):
        return f"number or {' | '.join(f'`{word}`' for word in options[-1]['enum'])}"
    return "text or list" if options else "text"


def default_text(value: object) -> str:
    """Write a default as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else f"`{value}`"


def toml(value: Any) -> str:
    """A value as it is written in a rule file, in one line."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case str() if "\\" in value:
            return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


def cell(text: str) -> str:
    """Write a cell of a Markdown table."""
    return text.replace("|", "\\|")
