"""What is to be extracted: the JSON schema {name, keys, tableHeaders} of document-extract, and `find`, own fields.

It loads nothing that documents are worked on with: checks before a task ask it as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paperchute.contract.page_boxes import PageBox, parse_box
from paperchute.engine.extraction.vocabulary import plain
from paperchute.engine.work import Refused
from paperchute.language import _
from paperchute.notation.patterns import compiled

_MOST = 500
"""Keys, and headers of all tables together."""
_MOST_OWN = 100
"""Fields of one's own: a bound on work."""


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


@dataclass(frozen=True, slots=True)
class OwnField:
    """One field: its label, as it is printed, or its pattern. place: where its value stands, None for anywhere."""

    name: str
    label: str
    pattern: Any
    place: PageBox | None


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


def read_own_fields(text: str) -> tuple[OwnField, ...]:
    """Read the JSON of `find`. Raises Refused: 01006 where it is none, 03000 for what cannot be looked for."""
    try:
        raw = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict):
        raise Refused("01006", _("find is not a JSON object."))
    if len(raw) > _MOST_OWN:
        raise Refused("03000", _("find asks for more than {most} fields.", most=_MOST_OWN))
    return tuple(_own_field(name, one) for name, one in raw.items())


def _own_field(name: str, raw: Any) -> OwnField:
    given = raw if isinstance(raw, dict) else {}
    texts = {key: given.get(key, "") for key in ("label", "pattern", "place")}
    is_whole = given.keys() <= texts.keys() and all(isinstance(one, str) for one in texts.values())
    if not is_whole or bool(plain(texts["label"])) == bool(texts["pattern"]):
        raise Refused(
            "03000", _("find: {name} takes either a label or a pattern, and a place if you like.", name=repr(name[:60]))
        )
    try:
        pattern = compiled(texts["pattern"]) if texts["pattern"] else None
        place = parse_box(texts["place"]) if texts["place"] else None
    except ValueError as error:
        raise Refused("03000", _("find: {name}: {reason}", name=repr(name[:60]), reason=error)) from None
    return OwnField(name, texts["label"], pattern, place)


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
