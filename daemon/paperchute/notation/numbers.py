"""What a text can mean as a number. `1.250` is 1.25 where the point is the decimal mark, and 1250 where the comma is.

Nothing is decided here: a text has a value under each decimal mark that allows it, and whoever knows more (the other
cells of its column, the language) chooses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

POINT, COMMA = ".", ","
MARKS = (POINT, COMMA)
MOST_CHARACTERS = 60
"""Of a number with its currency; what is longer is text."""
MOST_DIGITS = 15
"""Of a number: what a double, and so a spreadsheet, holds exactly. More are an identifier."""

SPACES = " \u00a0\u202f\u2009"
GROUPS = f"'\u2019`\u00b4\u02bc{SPACES}"
"""What parts groups of digits and is never a decimal mark."""

_MOST_POWER = 30  # of ten, in a number that is written as 1.5E+03
_UNIT = r"(?:[^\W\d_]\.?|[^\w\s.,'\u2019`\u00b4\u02bc()%+\-]){1,8}"  # EUR, Fr., US$, €; a dot only behind a letter
_FIGURE = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+\u2013])?\s*(?:(?P<before>{_UNIT})|(?P<percent_before>%))?\s*(?P<sign2>[-+])?\s*
    (?P<digits>\d(?:[\d.,{GROUPS}]*\d)?|[.,]\d+)(?P<power>[eE][-+]?\d{{1,3}})?
    \s*(?:(?P<after>{_UNIT})|(?P<percent>%))?\s*(?P<trail>-)?\s*(?P<close>\))?""",
    re.VERBOSE,
)
_SEPARATORS = re.compile(r"\D")
_NO_CENTS = re.compile(r"(?<=\d)([.,])[-\u2013\u2014]{1,2}(?=\D*$)")  # 50.- and 1.250,--
_UNSEEN = dict.fromkeys((8206, 8207, 1564, *range(8234, 8239), *range(8294, 8298), 65279))
_ALIKE = str.maketrans({"\u2212": "-", "\u066a": "%", "\u066c": "'", "\u066b": "\u066b"})
_GROUPED = {
    separator: re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(separator)}\d{{3}})+") for separator in (*MARKS, *GROUPS)
}
_INDIAN = re.compile(r"[1-9]\d?(?:,\d{2})*,\d{3}")  # 12,34,567


class Parts(NamedTuple):
    """The digits of a number before and behind its decimal mark, and whether groups were marked."""

    whole: str
    fraction: str
    grouped: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A text that is a number.

    values: by the decimal mark under which it is that. unit: a currency or whatever else stands with it. percent: it
    was written with a percent sign, and the values are hundredths. decimals: digits behind the mark.
    """

    values: Mapping[str, Decimal]
    decimals: Mapping[str, int]
    unit: str = ""
    percent: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it can mean two amounts."""
        return len(set(self.values.values())) > 1


def figure(text: str) -> Figure | None:
    """Return what a text means as a number, under each decimal mark; None where it is no number under any."""
    if len(text) > MOST_CHARACTERS:
        return None
    plain = _NO_CENTS.sub(r"\g<1>00", western(text).translate(_ALIKE).strip())
    match = _FIGURE.fullmatch(plain.replace("\u066b", POINT))
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    signs = [sign for sign in (match["sign"], match["sign2"], match["trail"]) if sign]
    units = [unit for unit in (match["before"], match["after"]) if unit]
    percents = [sign for sign in (match["percent"], match["percent_before"]) if sign]
    if len(signs) + bool(match["open"]) > 1 or len(units) + len(percents) > 1:
        return None
    found = {mark: parts_of(match["digits"], mark) for mark in (POINT if "\u066b" in plain else POINT + COMMA)}
    if match["power"]:
        found = {mark: parts for mark, parts in found.items() if parts and not parts.grouped}
    exponent = int((match["power"] or "e0")[1:]) - 2 * len(percents)
    if abs(exponent) > _MOST_POWER:
        return None
    minus = bool(match["open"]) or any(sign != "+" for sign in signs)
    values = {mark: _value(parts, exponent, minus) for mark, parts in found.items() if parts is not None}
    if not values:
        return None
    decimals = {mark: len(parts.fraction) for mark, parts in found.items() if parts is not None}
    return Figure(values, decimals, units[0] if units else "", bool(percents))


def parts_of(digits: str, mark: str) -> Parts | None:
    """Digits with separators, where `mark` is the decimal mark; None where they are no number then."""
    whole, found, fraction = digits.partition(mark)
    if found and not (fraction.isdecimal() and (whole or fraction)):
        return None
    if not whole or whole.isdecimal():
        return Parts(whole, fraction, False)
    separators = set(_SEPARATORS.findall(whole))
    separator = separators.pop()
    if separators or separator == mark:
        return None
    pattern = _GROUPED.get(separator)
    if (pattern and pattern.fullmatch(whole)) or (separator == COMMA and _INDIAN.fullmatch(whole)):
        return Parts(_SEPARATORS.sub("", whole), fraction, True)
    return None


def western(text: str) -> str:
    """The text with Western digits and signs, and without marks of direction; spaces are kept as they are."""
    if text.isascii():
        return text
    result = []
    for character in text.translate(_UNSEEN):
        if character.isdecimal():
            result.append(str(unicodedata.decimal(character)))
        elif "\uff01" <= character <= "\uff5e":  # full-width forms
            result.append(chr(ord(character) - 0xFEE0))
        else:
            result.append("\u00a5" if character == "\uffe5" else character)
    return "".join(result)


def _value(parts: Parts, exponent: int, minus: bool) -> Decimal:
    value = Decimal(f"{'-' if minus else ''}{parts.whole or 0}.{parts.fraction or 0}e{exponent}")
    return value if value else Decimal(0)
