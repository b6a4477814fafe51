"""What is to be extracted: the JSON schema {name, keys, tableHeaders} of document-extract."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paperchute.engine.work import Refused
from paperchute.language import _

_MOST = 500
"""Keys, and headers of all tables together."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field or a column by its name. hint: the schema's `prompt`, which may be what the document calls it."""

    name: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The fields and tables wanted. Without any, what a document shows as such is taken (`automatic`)."""

    keys: tuple[Wanted, ...] = ()
    tables: tuple[tuple[str, tuple[Wanted, ...]], ...] = ()

    @property
    def automatic(self) -> bool:
        """Whether everything found is wanted."""
        return not (self.keys or self.tables)


def read_schema(text: str) -> Schema:
    """The schema of a JSON text. Keys and headers are objects, or lists of names.

    Raises Refused: 01006 when it is not a JSON object, 03000 when its parts have another shape or are too many.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused("01006", _("extractFields is not a JSON object."))
    keys = _wanted(value.get("keys"), "keys")
    tables = value.get("tableHeaders")
    if tables is not None and not isinstance(tables, dict):
        raise _shape("tableHeaders")
    found = tuple((name, _wanted(headers, f"tableHeaders.{name}")) for name, headers in (tables or {}).items())
    if len(keys) + sum(len(headers) for _, headers in found) > _MOST:
        raise Refused("03000", _("extractFields asks for more than {most} fields.", most=_MOST))
    return Schema(keys, tuple((name, headers) for name, headers in found if headers))


def _wanted(value: Any, where: str) -> tuple[Wanted, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(Wanted(name) for name in value if name.strip())
    if isinstance(value, Mapping):
        return tuple(Wanted(name, _hint(details)) for name, details in value.items() if name.strip())
    raise _shape(where)


def _hint(details: Any) -> str:
    prompt = details.get("prompt") if isinstance(details, Mapping) else None
    return prompt if isinstance(prompt, str) else ""


def _shape(where: str) -> Refused:
    return Refused(
        "03000",
        _("extractFields: {where} takes an object of names, each with a prompt, or a list of names.", where=where[:60]),
    )
