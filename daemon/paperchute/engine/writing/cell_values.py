"""What a table cell's text is: a number, a percentage, an amount of money, a date, or just text.

Nothing is guessed: what could be read in two ways, or would change when it is shown again (leading zeros, account and
telephone numbers), stays text. How numbers and dates are written is learned from the whole table.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_DIGITS = 15  # what a spreadsheet's double holds exactly
_LONGEST_PLAIN = 11  # digits; longer ones without groups are identifiers
_LONGEST = 60  # characters

_CURRENCY = (
    r"(?:US\$|A\$|C\$|R\$|HK\$|NT\$|[$€£¥₹₩₽₺₫₪฿₴₦]|Fr\.|kr\.?|zł|Kč|Ft|Rs\.?|"
    r"(?:USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|KRW|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|SGD|HKD|TRY)\b)"
)
_SPACES = " \u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+\u2212\u2013])?\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[-+\u2212])?\s*
    (?P<digits>\d[\d.,'\u2019{_SPACES}]*|[.,]\d+)(?P<power>[eE][-+]\d{{1,3}})?
    \s*(?P<after>{_CURRENCY})?\s*(?P<percent>[%\u066a])?\s*(?P<trail>-)?(?P<close>\))?""",
    re.VERBOSE,
)
_POINT = re.compile(r"(\d+)\.(\d+)|(\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})*,\d{3})(?:\.(\d+))?|\.(\d+)")
_COMMA = re.compile(r"(\d+),(\d+)|(\d{1,3}(?:\.\d{3})+)(?:,(\d+))?|,(\d+)")
_OTHER = re.compile(rf"(\d{{1,3}}(?:([{_SPACES}'\u2019])\d{{3}})(?:\2\d{{3}})*)(?:([.,])(\d+))?")
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
    """What the cells of a table tell about how it writes; what they leave open is as in the tables before it."""
    before = before or Writing()
    points = commas = days = months = 0
    for text in texts:
        plain = _plain(text)
        short = _SHORT.fullmatch(plain)
        if short:
            days += int(short[1]) > 12 >= int(short[3])
            months += int(short[3]) > 12 >= int(short[1])
            continue
        match = _NUMBER.fullmatch(plain) if len(plain) <= _LONGEST else None
        if match is None:
            continue
        mark = _decimal_mark(match["digits"])
        points += mark == "."
        commas += mark == ","
    comma = before.comma if points == commas else commas > points
    return Writing(comma, before.day_first if days == months else days > months)


def is_identifier(heading: str) -> bool:
    """Whether the head of a column says that its numbers are names rather than amounts."""
    return bool(_IDENTIFIER.search(heading))


def typed(text: str, writing: Writing, identifier: bool = False) -> Typed | None:
    """What a cell's text is, or None for text. identifier: its column holds account numbers and the like."""
    plain = _plain(text)
    if not plain or len(plain) > _LONGEST or not any(c.isdigit() for c in plain):
        return None
    return _date(plain, writing) or (None if identifier else _number(plain, writing))


def _plain(text: str) -> str:
    """The text with Western digits and signs, spaces kept as they are."""
    if text.isascii():
        return text.strip()
    result = []
    for character in text.strip():
        if character in "\u066b":
            result.append(".")
        elif character in "\u066c":
            result.append(",")
        elif character.isdecimal():
            result.append(str(unicodedata.decimal(character)))
        elif "\uff01" <= character <= "\uff5e":  # full-width forms
            result.append(chr(ord(character) - 0xFEE0))
        else:
            result.append(character)
    return "".join(result)


def _decimal_mark(digits: str) -> str:
    """The decimal mark of a number that leaves no doubt, else nothing."""
    marks = [c for c in digits if c in ".,"]
    if not marks or digits.endswith((".", ",")):
        return ""
    if len(set(marks)) == 2:
        return marks[-1] if marks.count(marks[-1]) == 1 else ""
    after = len(digits) - 1 - digits.rindex(marks[-1])
    if len(marks) > 1:
        return "," if marks[0] == "." else "."  # repeated, so it parts groups
    grouped = any(c in digits for c in f"'\u2019{_SPACES}")
    whole = digits[: digits.index(marks[0])]
    return marks[0] if grouped or after != 3 or whole.startswith("0") or len(whole) > 3 or not whole else ""


def _number(text: str, writing: Writing) -> Typed | None:
    match = _NUMBER.fullmatch(text)
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    signs = [sign for sign in (match["sign"], match["sign2"], match["trail"]) if sign]
    if len(signs) + bool(match["open"]) > 1 or (match["before"] and match["after"]):
        return None
    parts = _parts(match["digits"].rstrip(_SPACES), writing)
    if parts is None:
        return None
    whole, fraction, grouped = parts
    if not _keeps(whole, fraction, grouped, plus="+" in signs):
        return None
    percent = bool(match["percent"])
    value = float(f"{whole or '0'}.{fraction or '0'}{match['power'] or ('e-2' if percent else '')}")
    negative = bool(match["open"]) or any(sign != "+" for sign in signs)
    shown = _format(len(fraction), grouped, match, percent)
    return Typed(-value if negative else value, shown)


def _parts(digits: str, writing: Writing) -> tuple[str, str, bool] | None:
    """Whole digits, digits after the mark, and whether groups were marked."""
    if digits.isdigit():
        return digits, "", False
    other = _OTHER.fullmatch(digits)
    if other:
        return re.sub(r"\D", "", other[1]), other[4] or "", True
    mark = _decimal_mark(digits)
    if not mark:  # one mark before three digits: a point could part groups as well
        if writing.comma is None and "." in digits:
            return None
        mark = "," if writing.comma else "."
    elif writing.comma is not None and (mark == ",") != writing.comma:
        return None  # contradicts the rest of the table
    match = (_COMMA if mark == "," else _POINT).fullmatch(digits)
    if match is None:
        return None
    if match[3] is not None:
        return re.sub(r"\D", "", match[3]), match[4] or "", True
    return match[1] or "", match[2] or match[5], False


def _keeps(whole: str, fraction: str, grouped: bool, plus: bool) -> bool:
    """Whether a number is still the same when a spreadsheet shows it."""
    if len(whole) > 1 and whole.startswith("0"):
        return False
    if len((whole + fraction).lstrip("0")) > _MOST_DIGITS:
        return False
    if plus and not fraction and len(whole) > 6:
        return False  # +491701234567
    return grouped or bool(fraction) or len(whole) <= _LONGEST_PLAIN


def _format(decimals: int, grouped: bool, match: re.Match[str], percent: bool) -> str:
    if match["power"]:
        return "0." + "0" * max(decimals, 1) + "E+00"
    body = ("#,##0" if grouped else "0") + ("." + "0" * decimals if decimals else "")
    if percent:
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
