"""What the cells of a table hold: a number, money, a date or text, each alone and all of a column together."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.words import months
from paperchute.language import _
from paperchute.notation.currencies import CURRENCY
from paperchute.notation.dates import FIRST_DAY
from paperchute.notation.numbers import (
    COMMA,
    MARKS,
    MOST_CHARACTERS,
    MOST_DIGITS,
    POINT,
    SPACES,
    Parts,
    parts_of,
    western,
)


@dataclass(frozen=True, slots=True)
class CellValueSettings:
    """When a cell's text is a number or a date: only where nothing is lost and one reading is left."""

    longest_plain: int = 11
    """Digits without groups: longer ones are identifiers, and Excel's General shows no more."""

    longest_plus: int = 6
    """Digits behind a plus sign, without decimals: longer ones are telephone numbers such as +491701234567."""

    same_sum: float = 1e-12
    """Of the total, by which the sum may differ: the rounding of doubles."""

    next_century: int = 70
    """Years of two digits below it are of this century, those from it on of the last; POSIX's `strptime` has 69."""


CELL_VALUES = CellValueSettings()

_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+\u2212\u2013])?\s*(?P<before>{CURRENCY})?\s*(?P<sign2>[-+\u2212])?\s*
    (?P<digits>\d[\d.,'\u2019{SPACES}]*|[.,]\d+)(?P<power>[eE][-+]\d{{1,3}})?
    \s*(?P<after>{CURRENCY})?\s*(?P<percent>[%\u066a])?\s*(?P<trail>-)?(?P<close>\))?""",
    re.VERBOSE,
)
_IDENTIFIER = re.compile(
    r"\b(?:phone|tel|telephone|fax|mobile|account|acct|iban|bic|zip|postal|postcode|plz|sku|isbn|ean|upc|serial|id|ids|"
    r"code|article|konto|kontonummer|telefon|artikelnummer|matricule|numéro de compte|teléfono|cuenta)\b|"
    r"电话|账号|邮编|编号|電話|口座|郵便",
    re.IGNORECASE,
)
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_SHORT = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th)?[ -]([^\W\d_]{3,12})\.?,?[ -](\d{4})")
_MONTH_DAY = re.compile(r"([^\W\d_]{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_HAN = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")


@dataclass(frozen=True, slots=True)
class Typed:
    """A value with the spreadsheet format that shows it as it was printed (ECMA-376, 18.8.31)."""

    value: float | datetime.datetime
    format: str


@dataclass(frozen=True, slots=True)
class Writing:
    """How a table writes numbers and dates.

    comma: the decimal mark is a comma, None where nothing tells. day_first: whether 03/04/2024 is in April, None where
    nothing tells.
    """

    comma: bool | None = None
    day_first: bool | None = None


def writing_of(texts: Iterable[str], before: Writing | None = None) -> Writing:
    """Return what the cells of a table say about how it writes, if they all say the same.

    What none of them says is as in the tables before it.
    """
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
    """Return whether the day can come first in a date such as 03/04/2024; empty for what is no such date."""
    short = _SHORT.fullmatch(western(text).strip())
    if short is None:
        return set()
    first, second = int(short[1]), int(short[3])
    return {day_first for day_first, month in ((True, second), (False, first)) if 1 <= month <= 12}


def is_identifier(heading: str) -> bool:
    """Decide whether the head of a column says that its numbers are names rather than amounts."""
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
        """Return what it is under a mark that it has parts for."""
        parts = self.parts[mark]
        exponent = self.match["power"] or ("e-2" if self.match["percent"] else "")
        value = float(f"{parts.whole or '0'}.{parts.fraction or '0'}{exponent}")
        return -value if self.match["open"] or any(sign != "+" for sign in _signs(self.match)) else value


def numeral(text: str) -> Numeral | None:
    """A cell's text as a number, under whatever mark; None for text."""
    plain = western(text).strip()
    if not plain or len(plain) > MOST_CHARACTERS or not any(map(str.isdigit, plain)):
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
    """Return what a cell's text is, or None for text. identifier: its column holds account numbers and the like."""
    plain = western(text).strip()
    if not plain or len(plain) > MOST_CHARACTERS or not any(c.isdigit() for c in plain):
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
    """Decide whether a number is still the same when a spreadsheet shows it."""
    if len(whole) > 1 and whole.startswith("0"):
        return False
    if len((whole + fraction).lstrip("0")) > MOST_DIGITS:
        return False
    if plus and not fraction and len(whole) > CELL_VALUES.longest_plus:
        return False
    return grouped or bool(fraction) or len(whole) <= CELL_VALUES.longest_plain


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
    if named and (month := months().get(named[2].lower())):
        return _day(named[3], month, named[1], "d mmm yyyy")
    named = _MONTH_DAY.fullmatch(text)
    if named and (month := months("en").get(named[1].lower())):
        return _day(named[3], month, named[2], "mmm d, yyyy")
    short = _SHORT.fullmatch(text)
    return _short_date(short, writing) if short else None


def _short_date(match: re.Match[str], writing: Writing) -> Typed | None:
    """03/04/2024: only where its own numbers, its dots or the rest of the table say which one is the day."""
    first, mark, second, year = match.groups()
    if len(year) == 2:
        if mark == "-":
            return None
        year = ("20" if int(year) < CELL_VALUES.next_century else "19") + year
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
    return Typed(found, shown) if found.date() >= FIRST_DAY else None


_FOOTNOTE = re.compile(r"(?P<text>.*\d[%€$]?\)?)\s?(?P<mark>[*†‡§]{1,3}|\((?:\d|[a-z])\))", re.DOTALL)
_TEN = "10"  # under a raised number it is a power, such as 10³


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell's text. mark: of a footnote, raised behind it."""

    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """What the cells are, in their order, None for text. problem: why numbers or dates among them stay text."""

    cells: tuple[Typed | None, ...]
    problem: str = ""


def values_of(entries: Sequence[Entry], around: Writing, identifier: bool = False) -> Values:
    """What the cells of a column are. around: how the table and the document write. identifier: of account numbers."""
    has_plain = any(numeral(entry.text) and not entry.mark for entry in entries)
    entries = [_parted(entry, has_plain) for entry in entries]
    numbers = [number for entry in entries if (number := numeral(entry.text)) is not None]
    mark, problem = (None, "") if identifier else _mark(numbers, around)
    day_first, date_problem = _order(entries, around)
    writing = Writing(None if mark is None else mark == COMMA, day_first)
    found = [_typed(entry, writing, identifier) for entry in entries]
    for kind in _unkept(entries, found, numbers if problem else ()):
        found = [None if kind(entry.text) else value for entry, value in zip(entries, found, strict=True)]
    if date_problem:
        found = [None if orders_of(entry.text) else value for entry, value in zip(entries, found, strict=True)]
    return Values(tuple(found), problem or date_problem)


def _unkept(
    entries: Sequence[Entry], found: Sequence[Typed | None], unclear: Sequence[Numeral]
) -> Iterator[Callable[[str], object]]:
    """Yield which cells become text with those that have to. 0042 is a name, and so is 1234 beside it."""
    kept_out = [n for e, value in zip(entries, found, strict=True) if value is None and (n := numeral(e.text))]
    if unclear or not all(number.is_bare for number in kept_out):
        yield numeral
    elif kept_out:
        yield lambda text: (number := numeral(text)) and number.is_bare


def _mark(numbers: Sequence[Numeral], around: Writing) -> tuple[str | None, str]:
    """The decimal mark of a column, None where none matters, and why it cannot be told."""
    proven = {next(iter(number.parts)) for number in numbers if len(number.parts) == 1}
    if len(proven) > 1:
        return None, _("some of its numbers have a decimal point and some a decimal comma")
    if proven:
        return proven.pop(), ""
    if not any(number.is_open for number in numbers):
        return None, ""
    said = {mark for mark in (_beside_bare(numbers), _by_total(numbers)) if mark}
    if around.comma is not None:
        said.add(COMMA if around.comma else POINT)
    if len(said) == 1:
        return said.pop(), ""
    one = next(number for number in numbers if number.is_open)
    meaning, *others = (f"{one.value(mark):.15g}" for mark in MARKS if mark in one.parts)
    for other in others:
        meaning = _("{one} or {other}", one=meaning, other=other)
    return None, _(
        "its numbers can be read in two ways ({number} as {meanings})",
        number=one.match.string.strip(),
        meanings=meaning,
    )


def _beside_bare(numbers: Sequence[Numeral]) -> str:
    """Numbers up to 999 without a mark can say that the marks of the others part groups: 732 beside 4.330.

    Who drops zeros at the end of decimals writes no 4.330, and who keeps them no 732. Where no zero ends a number, it
    takes several of both kinds: of numbers with three decimals, one in a thousand is whole.
    """
    marked = {number.match["digits"] for number in numbers if number.is_open}
    bare = {digits for number in numbers if number.is_bare and (digits := number.match["digits"]).strip("0")}
    if not bare or any(len(digits) > TYPOGRAPHY.several for digits in bare):
        return ""
    if min(len(bare), len(marked)) < TYPOGRAPHY.several and not any(digits.endswith("0") for digits in marked):
        return ""
    separators = {mark for digits in marked for mark in MARKS if mark in digits}
    return ({POINT, COMMA} - separators).pop() if len(separators) == 1 else ""


def _by_total(numbers: Sequence[Numeral]) -> str:
    """The mark under which alone a number is the sum of all before it."""
    marks = [mark for mark in MARKS if all(mark in number.parts for number in numbers)]
    fitting = [mark for mark in marks if _has_total([number.value(mark) for number in numbers])]
    return fitting[0] if len(fitting) == 1 else ""


def _has_total(values: Sequence[float]) -> bool:
    total = 0.0
    for place, value in enumerate(values):
        enough = place >= TYPOGRAPHY.pair
        if enough and value and math.isclose(total, value, rel_tol=CELL_VALUES.same_sum):
            return True
        total += value
    return False


def _parted(entry: Entry, has_plain: bool) -> Entry:
    """The cell without the mark of a footnote, which shows again as part of the number's format.

    Raised digits are one beside other numbers only, and not behind a ten: else they may be a power.
    """
    if entry.mark:
        is_note = has_plain and entry.text.strip() != _TEN and numeral(entry.text)
        return entry if is_note else Entry(f"{entry.text}^{entry.mark}")
    match = _FOOTNOTE.fullmatch(entry.text)
    return Entry(match["text"], match["mark"]) if match and numeral(match["text"]) else entry


def _typed(entry: Entry, writing: Writing, identifier: bool) -> Typed | None:
    value = typed(entry.text, writing, identifier)
    if value is None or not entry.mark:
        return value
    literal = '"' + entry.mark.replace('"', "") + '"'
    return Typed(value.value, ";".join(part + literal for part in value.format.split(";")))


def _order(entries: Sequence[Entry], around: Writing) -> tuple[bool | None, str]:
    """Tell if the day comes first in a column's dates, None where it does not matter, and why it cannot be told."""
    found = [(entry.text, orders) for entry in entries if (orders := orders_of(entry.text)) and "." not in entry.text]
    proven = {next(iter(orders)) for _, orders in found if len(orders) == 1}
    if len(proven) > 1:
        return None, _("some of its dates have the day first and some the month")
    day_first = proven.pop() if proven else around.day_first
    first = next((text for text, orders in found if len(orders) > 1), "")
    if day_first is None and first:
        return None, _("its dates can be read in two ways ({date})", date=first)
    return day_first, ""
