"""What a TOML file's readers find wrong, in the words of this product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from paperchute.contract.model import nearest
from paperchute.rules.locate import KeyPath


def findings(
    error: ValidationError, shape: type[BaseModel], inner: Mapping[str, type[BaseModel]]
) -> Iterator[tuple[KeyPath, str, str | None]]:
    """(key path, message, suggestion) for all that does not fit `shape`. inner: shapes of the tables in it, by name."""
    for detail in error.errors(include_url=False):
        loc = tuple(part for part in detail["loc"] if part != "float")
        key = str(loc[-1]) if loc else ""
        home = next((inner[str(part)] for part in reversed(loc[:-1]) if part in inner), shape)
        keys = [field.alias or name for name, field in home.model_fields.items()]
        if detail["type"] == "extra_forbidden":
            yield loc, f"there is no key {key!r} here", nearest(key, keys)
        elif detail["type"] == "missing":
            yield loc, f"`{key}` is missing", None
        else:
            yield loc, f"`{_named(loc)}` {_words(detail)}", None


def _named(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if isinstance(part, str)) or "the table"


def _words(detail: Mapping[str, Any]) -> str:
    """pydantic's finding in the words of this file."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "bool_parsing" | "bool_type":
            return "takes on or off"
        case "literal_error":
            return f"takes {context['expected']}".replace("'", "").replace(" or ", " | ").replace(", ", " | ")
        case "string_type":
            return "takes text, in quotes"
        case "string_too_short" | "too_short":
            return "must not be empty"
        case "int_parsing" | "int_type" | "int_from_float" | "float_parsing" | "float_type":
            return "takes a number"
        case "greater_than_equal" | "less_than_equal":
            limit = context.get("ge", context.get("le"))
            return f"must be {'at least' if 'ge' in context else 'at most'} {limit}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "takes a table, { key = value }"
        case "list_type":
            return "takes a list, [ ... ]"
        case "value_error":
            return str(context.get("error", detail["msg"]))
    return str(detail["msg"])
