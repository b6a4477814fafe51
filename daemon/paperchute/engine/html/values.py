"""A value of the data as a number or a date: what its column proves decides, then what the template's language says.

What both leave open is refused, with both readings. So is what they decide differently, where it matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from babel import Locale

from paperchute.engine.html.data import Cell, DataError, Listed
from paperchute.notation import dates
from paperchute.notation.columns import Column, Witnesses
from paperchute.notation.languages import mark_of, order_of
from paperchute.notation.numbers import COMMA, POINT, figure

_MOST_POWER = 30  # of ten: what formatting writes out
_SHOWN = 60
_ONE_WAY = "write the whole column in one way"
_SAY_WHOSE = f'say whose way it is in the template, such as <html lang="de-DE">, or {_ONE_WAY} that is clear'

_AS_JSON = "write it as a JSON number, such as 1250.5, or a date as 2026-11-21"


def decimal_of(
    value: Any, locales: Sequence[Locale], *, percent: bool = False, fits: Callable[[str], bool] | None = None
) -> Decimal:
    """A value of the data as a number.

    locales: whose ways the template says. percent: 19 % is taken, too, as 0.19. fits: whether a currency may stand
    with it. Raises DataError.
    """
    if isinstance(value, str):
        number = _number(value, locales, percent, fits)
    elif isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise DataError(f"{shown(value)} is not a number")
    else:  # floating point noise beyond 15 digits does not tip the scale
        number = Decimal(f"{value:.15g}" if isinstance(value, float) else value)
    if not math.isfinite(number) or abs(number.adjusted()) > _MOST_POWER:
        raise _wrong(value, f"{shown(value)} is not a number that can be written out")
    return number


def moment_of(value: Any, locales: Sequence[Locale]) -> datetime:
    """A value of the data as a date and time. Raises DataError."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    text = value if isinstance(value, str) else str(value)
    _check_column(text, _DATES)
    if not dates.moments(text):
        raise _wrong(text, _DATES.denial(text))
    found: datetime = _chosen(text, [order_of(locale) for locale in locales], _DATES)
    return found


def check_column(listed: Listed, name: str, number: bool) -> None:
    """Refuse a column that holds something else than numbers (or dates), before anything is made. Raises DataError."""
    kind = _NUMBERS if number else _DATES
    seen = kind.witnesses(listed.columns.get(name) or Column()).other
    if seen is not None:
        raise DataError(f"{listed.where(name, seen.place)}: {kind.denial(seen.text)}")


def shown(value: Any) -> str:
    """A value for people."""
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _number(text: str, locales: Sequence[Locale], percent: bool, fits: Callable[[str], bool] | None) -> Decimal:
    _check_column(text, _NUMBERS)
    found = figure(text)
    if found is None:
        raise _wrong(text, _NUMBERS.denial(text))
    if found.percent and not percent:
        raise _wrong(text, f"{shown(text)} is a percentage; the filter percent takes it")
    if found.unit and not (fits and fits(found.unit)):
        raise _wrong(text, f"{shown(text)} is in {found.unit!r}, which would be lost")
    said = [mark_of(locale) for locale in locales]
    by_program = COMMA not in text and (not isinstance(text, Cell) or text._listed.typed)
    chosen: Decimal = _chosen(text, said, _NUMBERS, POINT if by_program else "")
    return chosen


@dataclass(frozen=True)
class _Kind:
    """What is read of a text: its noun, its meanings by way of writing, a meaning for people, a column's witnesses."""

    noun: str
    read: Callable[[str], Mapping[str, Any]]
    write: Callable[[Any], str]
    witnesses: Callable[[Column], Witnesses]

    def denial(self, text: str) -> str:
        return f"{shown(text)} is not a {self.noun}" if text.strip() else "it is empty"

    def all_of(self, text: str) -> str:
        return " or as ".join(self.write(meaning) for meaning in dict.fromkeys(self.read(text).values()))


def _amounts(text: str) -> Mapping[str, Decimal]:
    found = figure(text)
    return found.values if found else {}


_NUMBERS = _Kind("number", _amounts, lambda number: f"{number.normalize():f}", lambda column: column.numbers)
_DATES = _Kind(
    "date with a year of four digits, such as 2026-11-21",
    dates.moments,
    lambda moment: f"{moment:%Y-%m-%d}",
    lambda column: column.dates,
)


def _chosen(text: str, said: Sequence[str], kind: _Kind, usual: str = "") -> Any:
    """The one meaning of a text. said: the ways of the languages that count, which must agree where that matters.

    usual: how a program may have written it, unless its column proves another way; for a list that is not enough.
    """
    found = kind.read(text)
    witnesses = _witnesses(text, kind)
    ways = {way for way in said if way}
    if witnesses.proven:
        _check_proof(text, witnesses, ways, kind)
        ways = {witnesses.proven}
    else:
        ways |= {usual} if usual and (ways or not isinstance(text, Cell)) else set()
        if len(ways) != 1 and witnesses.open:
            raise _two(text, witnesses.open.text, kind, _SAY_WHOSE, witnesses.open.place)
    meanings = {found[way] for way in ways if way in found} or set(found.values())
    if len(meanings) > 1:
        raise _two(text, text, kind, _SAY_WHOSE if isinstance(text, Cell) else _AS_JSON)
    return meanings.pop()


def _check_column(text: str, kind: _Kind) -> None:
    """Refuse a column that writes in two ways, whichever of its cells is asked for."""
    witnesses = _witnesses(text, kind)
    if not witnesses.is_mixed:
        return
    one, other = witnesses.ways.values()
    what = " but ".join(f"{seen.text!r} in {seen.place} is {kind.all_of(seen.text)}" for seen in (one, other))
    if seen := witnesses.open:
        what += f", so that {seen.text!r} in {seen.place} can be read as {kind.all_of(seen.text)}"
    raise _wrong(text, f"the column writes in two ways, {what}; {_ONE_WAY}", other.place)


def _check_proof(text: str, witnesses: Witnesses, said: set[str], kind: _Kind) -> None:
    """Refuse what its column and the language read differently, save where all values have three digits behind their
    mark: 0.500 and 1.250 are written by one hand, and 99.00 and 1.250 perhaps by two."""
    seen, first = witnesses.open, witnesses.ways[witnesses.proven]
    if seen and said - {witnesses.proven} and not witnesses.even:
        why = f"{first.text!r} in {first.place} speaks for the one, the template's language for the other; {_ONE_WAY}"
        raise _two(text, seen.text, kind, why, seen.place)


def _two(value: str, text: str, kind: _Kind, advice: str, place: str = "") -> DataError:
    return _wrong(value, f"{shown(text)} can be read as {kind.all_of(text)}; {advice}", place)


def _wrong(value: Any, what: str, place: str = "") -> DataError:
    return DataError(f"{value._listed.where(value._column, place)}: {what}" if isinstance(value, Cell) else what)


def _witnesses(text: str, kind: _Kind) -> Witnesses:
    column = text._listed.columns.get(text._column) if isinstance(text, Cell) else None
    return kind.witnesses(column) if column else Witnesses()
