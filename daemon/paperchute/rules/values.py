"""Values as people write them in a rule file: texts and lists of them, sizes, page counts, seconds, hosts, folders.

Each type reads what stands in the file and accepts what it has made of it, so a finished rule passes as well.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticKnownError

from paperchute.language import _
from paperchute.notation.sizes import parse_size

Conflict = Literal["number", "replace", "skip"]
Duplicates = Literal["process", "skip", "ask"]
DuplicatesBy = Literal["bytes", "content"]
Gather = Literal["folder", "batch", "pair", "rows"]
Protecting = Literal["keep", "drop"]
LeftOut = Literal["warn", "hold"]
EmptyFolders = Literal["remove", "keep"]
WatchMode = Literal["auto", "native", "poll"]

DEFAULT_HISTORY = 90
"""Days."""

SETTLE_PRESETS = {"scanner": 6.0}
"""Seconds by name. Scanners that write to a share open a file anew for each page, with pauses of up to 6 s seen."""

_HOST = re.compile(r"(?=.{1,253}\Z)[\w-]{1,63}(?:\.[\w-]{1,63})*")
_RANGE = re.compile(r"(\d{1,7})\s*(?:-\s*(\d{1,7}))?")
_DAYS = re.compile(r"(\d{1,6})\s*(day|week)s?")
_COMPARED = re.compile(r"(>=|<=|>|<)\s*(\d{1,7})")

Ranges = tuple[tuple[int, int | None], ...]
"""First and last number of each range, both inclusive; no last one = no end."""


def with_hyphens(text: str) -> str:
    """The text with a hyphen for each of the dashes that word processors make of one."""
    return text.replace("–", "-").replace("—", "-").replace("\u2212", "-")


@lru_cache(maxsize=256)
def ranges(text: str) -> Ranges:
    """Return what `1-3`, `4`, `>=2`, `<10` or several of them with commas between allow. Raises ValueError."""
    found: list[tuple[int, int | None]] = []
    for part in (part.strip() for part in with_hyphens(text).split(",")):
        if (match := _RANGE.fullmatch(part)) and int(match[1]) <= int(match[2] or match[1]) and int(match[1]) >= 1:
            found.append((int(match[1]), int(match[2] or match[1])))
        elif (match := _COMPARED.fullmatch(part)) and (limits := _limits(match[1], int(match[2]))):
            found.append(limits)
        else:
            raise ValueError(_('takes a number of pages such as "1", "1-3" or ">=2", not {part}', part=repr(part)))
    return tuple(found)


def within(number: int, allowed: Ranges) -> bool:
    """Decide whether a number lies in one of the ranges."""
    return any(first <= number and (last is None or number <= last) for first, last in allowed)


def _limits(sign: str, number: int) -> tuple[int, int | None] | None:
    """The range of a comparison; None for one that no document can meet, such as `<1`."""
    match sign:
        case ">=":
            return max(1, number), None
        case ">":
            return number + 1, None
        case "<=":
            return (1, number) if number >= 1 else None
    return (1, number - 1) if number > 1 else None


def is_host(text: str) -> bool:
    """Decide whether `text` is the name of a host, or its number."""
    return _HOST.fullmatch(text) is not None


# ---------- types of keys ----------


def _no_switch(value: object) -> object:
    """TOML's true and false are no numbers, as they are in Python."""
    if isinstance(value, bool):
        raise ValueError(_("takes a number, not on or off"))
    return value


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else not_empty(value)


def _wanted(value: object) -> object:
    """Numbers and days need no quotes: TOML says which they are, and a float is written back as it stood."""
    several = value if isinstance(value, list | tuple) else [value]
    return not_empty(
        [
            one if isinstance(one, str | bool) else f"{one}" if isinstance(one, int | float | date) else one
            for one in several
        ]
    )


def not_empty(value: object) -> object:
    """A list with something in it, as a tuple. Raises what pydantic raises for lists."""
    if not isinstance(value, list | tuple):
        raise PydanticKnownError("list_type")
    if not value:
        raise PydanticKnownError("too_short", {"field_type": "List", "min_length": 1, "actual_length": 0})
    return tuple(value)


def _settle(value: object) -> object:
    if isinstance(value, str):
        if value.lower() not in SETTLE_PRESETS:
            raise ValueError(_("takes seconds, or one of: {words}", words=", ".join(SETTLE_PRESETS)))
        return SETTLE_PRESETS[value.lower()]
    return _no_switch(value)


def _pages(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _days(value: object) -> object:
    match = _DAYS.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if match is not None:
        return int(match[1]) * (7 if match[2] == "week" else 1)
    if isinstance(value, str):
        raise ValueError(_('takes a time such as "90 days" or "12 weeks"'))
    return _no_switch(value)


def _text(value: object) -> str:
    """Any text with something in it; pydantic's own takes no path whose name is not valid UTF-8."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    if not value:
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return value


def _folder(value: object) -> Path:
    return value if isinstance(value, Path) else Path(_text(value))


_ONE: dict[str, Any] = {"type": "string", "minLength": 1}

Text = Annotated[str, PlainValidator(_text), WithJsonSchema(_ONE)]

Several = Annotated[
    tuple[Text, ...],
    BeforeValidator(_several),
    WithJsonSchema({"oneOf": [_ONE, {"type": "array", "items": _ONE, "minItems": 1}]}),
]
"""One text or a list of them."""

Wanted = Annotated[
    tuple[Text, ...],
    BeforeValidator(_wanted),
    WithJsonSchema({"oneOf": [_ONE, {"type": "number"}, {"type": "array", "items": _ONE, "minItems": 1}]}),
]
"""What a field of a document may be: one value or a list of them."""

Whole = Annotated[int, BeforeValidator(_no_switch)]
Seconds = Annotated[float, BeforeValidator(_no_switch)]
Settle = Annotated[
    float,
    BeforeValidator(_settle),
    Field(ge=0, le=86_400),
    WithJsonSchema({"oneOf": [{"type": "number", "minimum": 0, "maximum": 86_400}, {"enum": list(SETTLE_PRESETS)}]}),
]
Days = Annotated[
    int,
    BeforeValidator(_days),
    Field(ge=1, le=36_500),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "integer", "minimum": 1, "maximum": 36_500},
                {"type": "string", "pattern": "^ *[0-9]+ *([Dd]ay|[Ww]eek)s? *$"},
            ]
        }
    ),
]
Pages = Annotated[Text, BeforeValidator(_pages), WithJsonSchema({"type": ["integer", "string"]})]
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    WithJsonSchema(
        {"oneOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9.]+ *[A-Za-z]*$"}]}
    ),
]
Folder = Annotated[Path, BeforeValidator(_folder), WithJsonSchema(_ONE)]
