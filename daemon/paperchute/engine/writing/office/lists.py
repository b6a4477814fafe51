"""Printed list markers as the series that a word processor counts by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.model import ListItem
from paperchute.engine.writing.office.parts import Marker, NumberFormat

_PARTS = re.compile(r"^(\(?\[?)(\d{1,4}|[a-zA-Z]|[ivxlcdm]{1,7}|[IVXLCDM]{1,7})([.)\]]{0,2})$")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_MOST_LEVEL = 8  # a Word list has nine levels


@dataclass(slots=True)
class _Run:
    """A series being counted at one level."""

    series: int
    start: int
    format: NumberFormat
    pattern: str
    next: int


@dataclass(slots=True)
class Counting:
    """Knows the series of the document so far, so that a list goes on after the text between its items."""

    _open: dict[int, _Run] = field(default_factory=dict)
    _series: int = 0

    def markers(self, items: Sequence[ListItem]) -> list[tuple[int, Marker]]:
        """The level (0 to 8) and marker of each item of a list."""
        result = []
        for number, item in enumerate(items):
            level = min(item.level, _MOST_LEVEL)
            for deeper in [known for known in self._open if known > level]:
                del self._open[deeper]
            following = next((i.marker for i in items[number + 1 :] if i.level <= item.level), "")
            result.append((level, self._marker(item, level, following)))
        return result

    def _marker(self, item: ListItem, level: int, following: str) -> Marker:
        run = self._open.get(level)
        if not item.ordered:
            bullet = item.marker.strip() or "•"
            if run is None or run.format != "bullet" or run.pattern != bullet:
                run = self._opened(level, 1, "bullet", bullet)
            return Marker(run.series, 1, "bullet", bullet)
        match = _PARTS.match(item.marker.strip())
        if match is None:
            return Marker(0, 0, "bullet", item.marker.strip())
        pattern = f"{match[1]}%{match[3]}"
        if run is not None and run.pattern == pattern and value(match[2], run.format) == run.next:
            run.next += 1
            return Marker(run.series, run.start, run.format, pattern)
        style = _format(match[2], _PARTS.match(following))
        start = value(match[2], style)
        run = self._opened(level, start, style, pattern)
        return Marker(run.series, start, style, pattern)

    def _opened(self, level: int, start: int, style: NumberFormat, pattern: str) -> _Run:
        self._series += 1
        run = self._open[level] = _Run(self._series, start, style, pattern, start + 1)
        return run


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
