"""Sizes and page counts as people write them in conditions: `10 MB`, `1-3`, `>=2`."""

from __future__ import annotations

import re
from functools import lru_cache

_UNITS: dict[str, int] = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)},
}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([A-Za-z]{0,3})")
_RANGE = re.compile(r"(\d{1,7})\s*(?:-\s*(\d{1,7}))?")
_COMPARED = re.compile(r"(>=|<=|>|<)\s*(\d{1,7})")

Ranges = tuple[tuple[int, int | None], ...]
"""First and last number of each range, both inclusive; no last one = no end."""


def size(value: object) -> int:
    """Bytes of `10 MB`, `500 kB`, `1.5 GiB` or a plain number; kB, MB, GB are powers of 1000. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match[2].lower() not in _UNITS:
        raise ValueError('takes a size such as "500 kB" or "10 MB"')
    return round(float(match[1]) * _UNITS[match[2].lower()])


def size_text(count: int) -> str:
    """A number of bytes as people read it: `12.3 MB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


@lru_cache(maxsize=256)
def ranges(text: str) -> Ranges:
    """What `1-3`, `4`, `>=2`, `<10` or several of them with commas between allow. Raises ValueError."""
    found: list[tuple[int, int | None]] = []
    for part in (part.strip() for part in text.split(",")):
        if (match := _RANGE.fullmatch(part)) and int(match[1]) <= int(match[2] or match[1]) and int(match[1]) >= 1:
            found.append((int(match[1]), int(match[2] or match[1])))
        elif (match := _COMPARED.fullmatch(part)) and (limits := _limits(match[1], int(match[2]))):
            found.append(limits)
        else:
            raise ValueError(f'takes a number of pages such as "1", "1-3" or ">=2", not {part!r}')
    return tuple(found)


def within(number: int, allowed: Ranges) -> bool:
    """Whether a number lies in one of the ranges."""
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
