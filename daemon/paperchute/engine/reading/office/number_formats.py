"""Numbers of workbooks and charts as their formats show them (ECMA-376, 18.8.31).

Without the marks between thousands: which sign they are, the reader's system says and no file does, so `1,234` might be
read as either. Days are written as ISO 8601 has them, for the same reason.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from paperchute.notation.numbers import MOST_DIGITS

_SECTION = re.compile(r'((?>"[^"]*"|\\.|\[[^\]]*\]|[^;])*+)(?:;|$)', re.DOTALL)
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<sign>.)|[_*](?P<space>.)|\[(?P<bracket>[^\]]*)\]|(?P<plain>.)', re.DOTALL
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)")
_SMALLEST = 1e-5  # of numbers whose noise is rounded away at ten decimals; smaller ones would lose digits
_TIME = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_TWELVE = re.compile(r"AM/PM|A/P", re.IGNORECASE)
_DIGITS = "0#?"
_EXACT = Context(prec=400)  # digits: the largest double has 309 before the point


_LONGEST = 255  # characters of a format that Excel takes; some longer ones would be read for ever


def shown(value: object, form: str) -> str:
    """A value as a person reads it in a cell of this number format.

    A format that shows nothing leaves the number as it is, and a negative one that only its colour tells has a minus.
    """
    if len(form) > _LONGEST:
        form = "General"
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case datetime.datetime():
            has_time = value.time() != datetime.time()
            return f"{value:%Y-%m-%d} {_time(value.time(), form)}" if has_time else f"{value:%Y-%m-%d}"
        case datetime.time():
            return _time(value, form)
        case datetime.timedelta():
            return _elapsed(value, form)
        case str():
            return _words(value, form)
        case int() | float():
            return _number(value, form)
        case _:
            return str(value)


def _time(value: datetime.time, form: str) -> str:
    """A time of day; of twelve hours where the format has them."""
    if _TWELVE.search(form) is None:
        return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
    seconds = f":{value.second:02}" if value.second else ""
    return f"{(value.hour - 1) % 12 + 1}:{value.minute:02}{seconds} {'AM' if value.hour < 12 else 'PM'}"


def _elapsed(value: datetime.timedelta, form: str) -> str:
    """A length of time in the largest unit that the format counts on: `90:30` for `[m]:ss`."""
    seconds = round(value.total_seconds())
    sign, seconds = "-" if seconds < 0 else "", abs(seconds)
    unit = _TIME.search(form)
    if unit is not None and unit[1][0] in "sS":
        return f"{sign}{seconds}"
    if unit is not None and unit[1][0] in "mM":
        return f"{sign}{seconds // 60}:{seconds % 60:02}"
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _words(value: str, form: str) -> str:
    """A text with what the format's section for texts has around it, the fourth or one with `@`."""
    if "@" not in form:
        return value
    sections = [match[1] for match in _SECTION.finditer(form) if match[1] or match[0]]
    if len(sections) > 4 or (len(sections) < 4 and "@" not in sections[-1]):
        return value
    made, has_value = "", False
    for token in _TOKEN.finditer(sections[-1]):
        sign = token["plain"] or ""
        has_value = has_value or sign == "@"
        made += value if sign == "@" else token["quoted"] or token["sign"] or (sign if sign != '"' else "")
    return made.strip() if has_value else value


class _Format(NamedTuple):
    """One section of a number format.

    before, after: the words around the digits. decimals: how many digits stand behind the point, and how many of these
    are written even where they are 0. whole: how many digits stand before it at least. thousands: commas that divide
    by 1000 each.
    """

    before: str = ""
    after: str = ""
    most: int = 0
    least: int = 0
    whole: int = 0
    thousands: int = 0
    percents: int = 0
    power: bool = False
    denominator: int = 0
    has_digits: bool = False
    is_general: bool = False
    is_date: bool = False
    condition: tuple[str, float] | None = None
    pattern: tuple[tuple[str, bool], ...] = ()
    """Signs for digits with words between them, as of telephone numbers."""


def _number(value: float, form: str) -> str:
    if not math.isfinite(value):
        return str(value)
    chosen, own_sign = _chosen(value, _sections(form))
    words = (chosen.before + chosen.after).strip()
    if not (chosen.has_digits or chosen.is_general or chosen.is_date) and words:
        return words
    if chosen.is_date or not (chosen.has_digits or chosen.is_general):
        chosen, own_sign = _Format(is_general=True), False
    amount = abs(value) * 100**chosen.percents / 1000**chosen.thousands
    if chosen.is_general:
        digits = _general(amount)
    elif chosen.power:
        digits = f"{amount:.{chosen.most}E}"
    elif chosen.pattern:
        digits = _filled(_decimals(amount, chosen), chosen.pattern)
    elif chosen.denominator:
        digits = _fraction(amount, chosen.denominator)
    else:
        digits = _decimals(amount, chosen)
    if digits == "0" and not chosen.whole and not chosen.is_general and words:
        digits = ""
    is_nothing = not any(sign in "123456789" for sign in digits)
    says_so = own_sign and any(sign in chosen.before for sign in "-(−")
    minus = "-" if value < 0 and not says_so and not is_nothing else ""
    return f"{minus}{chosen.before}{digits}{chosen.after}".strip()


def _chosen(value: float, sections: tuple[_Format, ...]) -> tuple[_Format, bool]:
    """The section for a value, and whether it is one that says itself that the number is negative."""
    if any(section.condition is not None for section in sections[:2]):
        for section in sections[:2]:
            if section.condition is not None and _holds(value, section.condition):
                return section, section is not sections[0]
        return sections[min(len(sections), 3) - 1], False
    if value < 0 and len(sections) > 1:
        return sections[1], True
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


def _holds(value: float, condition: tuple[str, float]) -> bool:
    sign, limit = condition
    return {
        "<": value < limit,
        ">": value > limit,
        "=": value == limit,
        "<=": value <= limit,
        ">=": value >= limit,
        "<>": value != limit,
    }[sign]


def _general(amount: float) -> str:
    """As many digits as the cell holds; a double's last digits are noise of its arithmetic."""
    return f"{round(amount, 10):.15g}" if abs(amount) >= _SMALLEST or amount == 0 else f"{amount:.15g}"


def _decimals(amount: float, section: _Format) -> str:
    # Half away from zero, as spreadsheets do, on the digits that a double holds.
    text = f"{_rounded(amount, section.most)}"
    whole, _, rest = text.partition(".")
    rest = rest.ljust(section.most, "0")[: section.most]
    while len(rest) > section.least and rest.endswith("0"):
        rest = rest[:-1]
    whole = whole.lstrip("0").rjust(section.whole, "0") or ("0" if not rest else "")
    return f"{whole or '0'}.{rest}" if rest else whole


def _rounded(amount: float, places: int) -> str:
    return format(Decimal(f"{amount:.15g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _EXACT), "f")


def _filled(digits: str, pattern: tuple[tuple[str, bool], ...]) -> str:
    """Digits put from the right into the places of a pattern; more than it has stand before the first."""
    made = ""
    for words, counts in reversed(pattern):
        if not counts:
            made = words + made
        elif words in _DIGITS:
            made = digits[-1:] + made
            digits = digits[:-1]
    return digits + made


def _fraction(amount: float, most: int) -> str:
    whole = int(amount)
    rest = Fraction(amount - whole).limit_denominator(most)
    if rest == 1:
        whole, rest = whole + 1, Fraction(0)
    if rest == 0:
        return str(whole)
    return f"{whole} {rest.numerator}/{rest.denominator}" if whole else f"{rest.numerator}/{rest.denominator}"


@lru_cache(maxsize=1024)
def _sections(form: str) -> tuple[_Format, ...]:
    found = [_section(match[1]) for match in _SECTION.finditer(form) if match[1] or match[0]]
    return tuple(found[:3]) or (_Format(is_general=True),)


def _section(text: str) -> _Format:
    if text.strip().lower() in ("general", "standard", "@"):
        return _Format(is_general=True)
    pieces: list[tuple[str, bool]] = []  # words, or one sign that stands for digits
    section = _Format(is_date=bool(_TIME.search(text)))
    for token in _TOKEN.finditer(re.sub("general", "\0", text, flags=re.IGNORECASE)):
        sign = token["plain"] or ""
        above = "".join(piece for piece, counts in pieces if counts)
        if token["bracket"] is not None:
            limit = _CONDITION.fullmatch(token["bracket"])
            if limit:
                section = section._replace(condition=(limit[1], float(limit[2])))
            elif token["bracket"].startswith("$"):
                pieces.append((token["bracket"][1:].partition("-")[0], False))
        elif sign and (
            sign in "0#?.,/\0"
            or (sign in "Ee" and above and "/" not in above)
            or (sign in "+-" and above.endswith(("E", "e")))
            or (sign.isdigit() and "/" in above)
        ):
            pieces.append((sign, True))
        elif sign and sign in "ymdhsYMDHS":
            section = section._replace(is_date=True)
        elif sign != '"':  # one without its end
            section = section._replace(percents=section.percents + (sign == "%"))
            pieces.append((token["quoted"] or token["sign"] or sign or " ", False))
    return _counted(pieces, section)


def _counted(pieces: list[tuple[str, bool]], section: _Format) -> _Format:
    """The section with what its signs for digits say, and the words before, behind and between them."""
    places = [n for n, (_, counts) in enumerate(pieces) if counts]
    first, last = (places[0], places[-1]) if places else (len(pieces), len(pieces))
    before, after = ("".join(words for words, _ in part) for part in (pieces[:first], pieces[last + 1 :]))
    digits = "".join(sign for sign, counts in pieces if counts)
    mantissa, has_power, _ = digits.upper().partition("E")
    number, has_stroke, below = mantissa.partition("/")
    whole, _, decimals = number.partition(".")
    behind = [sign for sign in decimals if sign in _DIGITS]
    inner = any(not counts for _, counts in pieces[first : last + 1])
    own = re.sub(r"\D", "", below)
    return section._replace(
        before=before,
        after=after,
        most=min(len(behind), MOST_DIGITS),
        least=min(max((n for n, sign in enumerate(behind, 1) if sign != "#"), default=0), MOST_DIGITS),
        whole=min(whole.count("0"), MOST_DIGITS),
        thousands=len(number) - len(number.rstrip(",")) if any(sign in _DIGITS for sign in whole) else 0,
        power=bool(has_power),
        denominator=(int(own) if own else 10 ** min(len(below) or 1, 3) - 1) if has_stroke else 0,
        has_digits=any(sign in _DIGITS for sign in digits),
        is_general="\0" in digits,
        pattern=tuple(pieces[first : last + 1]) if inner and not (has_power or has_stroke or decimals) else (),
    )
