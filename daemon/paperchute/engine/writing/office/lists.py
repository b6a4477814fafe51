"""Numbers that word processors count: what a printed marker says, and how a number looks in each format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from paperchute.engine.document.model import ListItem
from paperchute.engine.writing.office.parts import Marker, NumberFormat

_PARTS = re.compile(r"^(\(?\[?)(\d{1,4}|[a-zA-Z]|[ivxlcdm]{1,7}|[IVXLCDM]{1,7})([.)\]]{0,2})$")
_NUMBER = re.compile(r"%\d")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_CLAUSE = re.compile(r"^\s*((?:[1-9]\d{0,2}\.){1,6}[1-9]\d{0,2})(?:(\.)(?=\s|[^\W\d_])|(?=\s))\s*")


class Clause(NamedTuple):
    """A number of several parts, such as `2.1.3`. after: the point behind it. length: of it and the space behind."""

    values: tuple[int, ...]
    after: str
    length: int


def clause_of(text: str) -> Clause | None:
    """The number of several parts that a text begins with, where words follow; None for none."""
    found = _CLAUSE.match(text)
    if found is None or not any(map(str.isalpha, text[found.end() :])):
        return None
    return Clause(tuple(map(int, found[1].split("."))), found[2] or "", found.end())


def markers_of(items: Sequence[ListItem]) -> list[Marker]:
    """The marker of each item of a list as it is printed."""
    result = []
    for number, item in enumerate(items):
        following = next((i.marker for i in items[number + 1 :] if i.level <= item.level), "")
        result.append(_marker(item, following))
    return result


def _marker(item: ListItem, following: str) -> Marker:
    said = item.marker.strip()
    if not item.ordered:
        sign = said or "•"
        return Marker(0, 1, "bullet", sign, sign)
    match = _PARTS.match(said)
    if match is None:
        return Marker(0, 0, "bullet", said, said)
    style = _format(match[2], _PARTS.match(following))
    number = value(match[2], style)
    if shown(number, style) != match[2]:  # such as 01, which no format shows
        return Marker(0, 0, "bullet", said, said)
    return Marker(0, number, style, f"{match[1]}%{match[3]}", said)


def all_levels(levels: Mapping[int, Marker], count: int) -> list[Marker]:
    """The levels of a list with those that it does not use: as the one above, numbers of several parts with one more.

    levels: those that it uses. count: of all.
    """
    found: list[Marker] = []
    above = levels[min(levels)]
    for place in range(count):
        if place in levels:
            above = levels[place]
        elif above.format != "bullet":
            numbers = _NUMBER.findall(above.pattern)
            if len(numbers) > 1 and found:
                pattern = f"{above.pattern.rstrip('.')}.%{place + 1}{'.' if above.pattern.endswith('.') else ''}"
            else:
                pattern = _NUMBER.sub(f"%{place + 1}", above.pattern)
            above = replace(above, format="decimal", pattern=pattern, start=1)
        found.append(above)
    return found


def marker_before(text: str) -> Marker | None:
    """The marker that a text begins with, such as `IV.` or `(b)`, where words follow; None for none."""
    said, _, rest = text.strip().partition(" ")
    match = _PARTS.match(said)
    if match is None or not match[3] or not rest:
        return None
    return Marker(0, 1, "decimal", f"{match[1]}%{match[3]}", said)


def read_as(marker: Marker, style: NumberFormat) -> int:
    """The number that a marker shows if it counts in another format, -1 when it cannot: `i` is a letter, too."""
    match = _PARTS.match(marker.printed)
    number = value(match[2], style) if match is not None else -1
    return number if match is not None and shown(number, style) == match[2] else -1


def value(number: str, style: NumberFormat) -> int:
    """The number that a marker shows in a format, -1 when it cannot be one of that format."""
    if style == "decimal":
        return int(number) if number.isdecimal() else -1
    if number.isdecimal() or number.islower() != style.startswith("lower"):
        return -1
    if style.endswith("Letter"):
        return ord(number.lower()) - ord("a") + 1 if len(number) == 1 else -1
    return _roman(number.lower())


def shown(number: int, style: NumberFormat) -> str:
    """The number in a format, as a word processor counts: after z comes aa."""
    if style == "decimal" or number < 1:
        return str(number)
    if style.endswith("Letter"):
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        text = _roman_text(number)
    return text if style.startswith("lower") else text.upper()


def _format(number: str, following: re.Match[str] | None) -> NumberFormat:
    """Letters that are Roman numbers too are those where they begin a series as i does, or where the next says so."""
    if number.isdecimal():
        return "decimal"
    case = "lower" if number.islower() else "upper"
    roman = _roman(number.lower())
    after = following[2].lower() if following else ""
    letters = len(number) == 1 and not (roman == 1 or (roman > 0 and _roman(after) == roman + 1 and len(after) > 1))
    if len(number) == 1 and after and len(after) == 1 and ord(after) == ord(number.lower()) + 1 and roman != 1:
        letters = True
    if letters:
        return "lowerLetter" if case == "lower" else "upperLetter"
    if roman < 1:
        return "lowerLetter" if case == "lower" else "upperLetter"
    return "lowerRoman" if case == "lower" else "upperRoman"


def _roman(text: str) -> int:
    """The value of a Roman number in small letters, -1 when it is none."""
    if not text or any(character not in _ROMAN for character in text):
        return -1
    values = [_ROMAN[character] for character in text]
    total = sum(-v if v < max(values[n + 1 :], default=0) else v for n, v in enumerate(values))
    return total if _roman_text(total) == text else -1


def _roman_text(number: int) -> str:
    text = ""
    for worth, letters in (
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
        (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ):  # fmt: skip
        text += letters * (number // worth)
        number %= worth
    return text
