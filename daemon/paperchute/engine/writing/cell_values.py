"""What a table cell's text is: a number, a percentage, an amount of money, a date, or just text.

Nothing is guessed: what could be read in two ways, or would change when it is shown again (leading zeros, account and
telephone numbers), stays text. How its numbers and dates are written, a column says (`column_values`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

from paperchute.notation.numbers import COMMA, MARKS, POINT, SPACES, Parts, parts_of, western

_MOST_DIGITS = 15  # what a spreadsheet's double holds exactly
_LONGEST_PLAIN = 11  # digits; longer ones without groups are identifiers
_LONGEST = 60  # characters

_CURRENCY = (
    r"(?:US\$|A\$|C\$|R\$|HK\$|NT\$|[$€£¥₹₩₽₺₫₪฿₴₦]|Fr\.|kr\.?|zł|Kč|Ft|Rs\.?|"
    r"(?:USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|KRW|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|SGD|HKD|TRY)\b)"
)
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+\u2212\u2013])?\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[-+\u2212])?\s*
    (?P<digits>\d[\d.,'\u2019{SPACES}]*|[.,]\d+)(?P<power>[eE][-+]\d{{1,3}})?
    \s*(?P<after>{_CURRENCY})?\s*(?P<percent>[%\u066a])?\s*(?P<trail>-)?(?P<close>\))?""",
    re.VERBOSE,
)
_IDENTIFIER = re.compile(
    r"\b(?:phone|tel|telephone|fax|mobile|account|acct|iban|bic|zip|postal|postcode|plz|sku|isbn|ean|upc|serial|id|ids|"
    r"code|article|konto|kontonummer|telefon|artikelnummer|matricule|numéro de compte|teléfono|cuenta)\b|"
    r"电话|账号|邮编|编号|電話|口座|郵便",
    re.IGNORECASE,
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janvier enero gennaio", "feb february februar février fevrier febrero febbraio",
            "mar march märz maerz mars marzo", "apr april avril abril aprile", "may mai mayo maggio",
            "jun june juni juin junio giugno", "jul july juli juillet julio luglio",
            "aug august août aout agosto", "sep sept september septembre septiembre settembre",
            "oct october okt oktober octobre octubre ottobre", "nov november novembre noviembre",
            "dec december dez dezember décembre decembre diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_SHORT = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th)?[ -]([^\W\d_]{3,10})\.?,?[ -](\d{4})")
_MONTH_DAY = re.compile(r"([^\W\d_]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_HAN = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_FIRST_DAY = datetime.date(1900, 3, 1)  # before it, spreadsheets count a day that never was


@dataclass(frozen=True, slots=True)
class Typed:
    """A value with the spreadsheet format that shows it as it was printed (ECMA-376, 18.8.31)."""

    value: float | datetime.datetime
    format: str


@dataclass(frozen=True, slots=True)
class Writing:
    """How a table writes numbers and dates. comma: the decimal mark is a comma, None where nothing tells. day_first:
    whether 03/04/2024 is in April, None where nothing tells."""

    comma: bool | None = None
    day_first: bool | None = None


def writing_of(texts: Iterable[str], before: Writing | None = None) -> Writing:
    """What the cells of a table say about how it writes, if they all say the same. What none of them says is as in the
    tables before it."""
    before = before or Writing()
    marks: set[str] = set()
    days: set[bool] = set()
    for text in texts:
        orders = orders_of(text)
        days |= orders if len(orders) == 1 else set()
        if (number := numeral(text)) and len(number.parts) == 1:
            marks |= set(number.parts)
    comma = before.comma if not marks else None if len(marks) > 1 else marks == {COMMA}
    return Writing(comma, before.day_first if not days else None if len(days) > 1 else days == {True})


def orders_of(text: str) -> set[bool]:
    """Whether the day can come first in a date such as 03/04/2024; empty for what is no such date."""
    short = _SHORT.fullmatch(western(text).strip())
    if short is None:
        return set()
    first, second = int(short[1]), int(short[3])
    return {day_first for day_first, month in ((True, second), (False, first)) if 1 <= month <= 12}


def is_identifier(heading: str) -> bool:
    """Whether the head of a column says that its numbers are names rather than amounts."""
    return bool(_IDENTIFIER.search(heading))


@dataclass(frozen=True, slots=True)
class Numeral:
    """A cell that is a number under some decimal mark. parts: its digits, by that mark."""

    match: re.Match[str]
    parts: dict[str, Parts]

    @property
    def is_open(self) -> bool:
        """Whether it is two numbers under two marks."""
        return len({(parts.whole, parts.fraction) for parts in self.parts.values()}) > 1

    @property
    def is_bare(self) -> bool:
        """Whether no mark stands in it."""
        return self.match["digits"].isdigit()

    def value(self, mark: str) -> float:
        """What it is under a mark that it has parts for."""
        parts = self.parts[mark]
        exponent = self.match["power"] or ("e-2" if self.match["percent"] else "")
        value = float(f"{parts.whole or '0'}.{parts.fraction or '0'}{exponent}")
        return -value if self.match["open"] or any(sign != "+" for sign in _signs(self.match)) else value


def numeral(text: str) -> Numeral | None:
    """A cell's text as a number, under whatever mark; None for text."""
    plain = western(text).strip()
    if not plain or len(plain) > _LONGEST or not any(map(str.isdigit, plain)):
        return None
    match = _NUMBER.fullmatch(plain.replace("\u066b", POINT).replace("\u066c", COMMA))
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    if len(_signs(match)) + bool(match["open"]) > 1 or (match["before"] and match["after"]):
        return None
    digits = match["digits"].rstrip(SPACES)
    found = {mark: parts for mark in MARKS if (parts := parts_of(digits, mark)) is not None}
    return Numeral(match, found) if found else None


def typed(text: str, writing: Writing, identifier: bool = False) -> Typed | None:
    """What a cell's text is, or None for text. identifier: its column holds account numbers and the like."""
    plain = western(text).strip()
    if not plain or len(plain) > _LONGEST or not any(c.isdigit() for c in plain):
        return None
    return _date(plain, writing) or (None if identifier else _number(text, writing))


def _number(text: str, writing: Writing) -> Typed | None:
    number = numeral(text)
    if number is None:
        return None
    mark = next(iter(number.parts)) if not number.is_open else ""
    if writing.comma is not None:
        mark = COMMA if writing.comma else POINT
    if mark not in number.parts:
        return None  # it can be two numbers, or contradicts the rest of its column
    parts = number.parts[mark]
    if not _keeps(*parts, plus="+" in _signs(number.match)):
        return None
    return Typed(number.value(mark), _format(len(parts.fraction), parts.grouped, number.match))


def _signs(match: re.Match[str]) -> list[str]:
    return [sign for sign in (match["sign"], match["sign2"], match["trail"]) if sign]


def _keeps(whole: str, fraction: str, grouped: bool, plus: bool) -> bool:
    """Whether a number is still the same when a spreadsheet shows it."""
    if len(whole) > 1 and whole.startswith("0"):
        return False
    if len((whole + fraction).lstrip("0")) > _MOST_DIGITS:
        return False
    if plus and not fraction and len(whole) > 6:
        return False  # +491701234567
    return grouped or bool(fraction) or len(whole) <= _LONGEST_PLAIN


def _format(decimals: int, grouped: bool, match: re.Match[str]) -> str:
    if match["power"]:
        return "0." + "0" * max(decimals, 1) + "E+00"
    body = ("#,##0" if grouped else "0") + ("." + "0" * decimals if decimals else "")
    if match["percent"]:
        body += "%"
    if match["before"]:
        body = f'"{match["before"]}"{" " if match["before"][-1].isalpha() else ""}{body}'
    if match["after"]:
        body = f'{body} "{match["after"]}"'
    if match["open"]:
        return f"{body}_);({body})"
    if "+" in (match["sign"], match["sign2"]):
        return f"+{body};-{body}"
    return body


def _date(text: str, writing: Writing) -> Typed | None:
    iso = _ISO.fullmatch(text)
    if iso:
        shown = iso[2].join(("yyyy", "mm", "dd"))
        if iso[5]:
            time = (int(iso[5]), int(iso[6]), int(iso[7] or 0))
            return _day(iso[1], iso[3], iso[4], shown + (" hh:mm:ss" if iso[7] else " hh:mm"), time)
        return _day(iso[1], iso[3], iso[4], shown)
    han = _HAN.fullmatch(text)
    if han:
        return _day(han[1], han[2], han[3], 'yyyy"年"m"月"d"日"')
    named = _DAY_MONTH.fullmatch(text)
    if named and named[2].lower() in _MONTHS:
        return _day(named[3], _MONTHS[named[2].lower()], named[1], "d mmm yyyy")
    named = _MONTH_DAY.fullmatch(text)
    if named and named[1].lower() in _MONTHS:
        return _day(named[3], _MONTHS[named[1].lower()], named[2], "mmm d, yyyy")
    short = _SHORT.fullmatch(text)
    return _short_date(short, writing) if short else None


def _short_date(match: re.Match[str], writing: Writing) -> Typed | None:
    """03/04/2024: only where its own numbers, its dots or the rest of the table say which one is the day."""
    first, mark, second, year = match.groups()
    if len(year) == 2:
        if mark == "-":
            return None
        year = ("20" if int(year) < 70 else "19") + year
    day_first = True if mark == "." else writing.day_first
    if int(first) > 12 or int(second) > 12:
        day_first = int(first) > 12
    elif first == second:
        day_first = True
    if day_first is None:
        return None
    if day_first:
        return _day(year, second, first, mark.join(("dd", "mm", "yyyy")))
    return _day(year, first, second, mark.join(("mm", "dd", "yyyy")))


def _day(year: str, month: str | int, day: str, shown: str, time: tuple[int, int, int] = (0, 0, 0)) -> Typed | None:
    try:
        found = datetime.datetime(int(year), int(month), int(day), *time)
    except ValueError:
        return None
    return Typed(found, shown) if found.date() >= _FIRST_DAY else None
