"""The filters of templates: numbers, money and dates, read as their column proves, written as a country does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from babel import Locale
from babel.dates import format_date, format_datetime, format_time
from babel.numbers import format_currency, format_decimal, format_percent, get_currency_symbol
from jinja2 import pass_context
from jinja2.runtime import Context

from paperchute.engine.html.data import Cell, DataError, Listed
from paperchute.language import N_, _
from paperchute.notation import dates
from paperchute.notation.columns import Column, Witnesses
from paperchute.notation.languages import known_locale, mark_of, order_of
from paperchute.notation.numbers import COMMA, POINT, figure, western

_MOST_POWER = 30  # of ten: what formatting writes out
_SHOWN = 60
_ONE_WAY = N_("write the whole column in one format")
_SAY_WHOSE = N_(
    'say in the template whose format it is, such as <html lang="de-DE">, or write the whole column in one clear format'
)

_AS_JSON = N_("write it as a JSON number, such as 1250.5, or a date as 2026-11-21")


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
        raise DataError(_("{value} is not a number", value=shown(value)))
    else:  # floating point noise beyond 15 digits does not tip the scale
        number = Decimal(f"{value:.15g}" if isinstance(value, float) else value)
    if not math.isfinite(number) or abs(number.adjusted()) > _MOST_POWER:
        raise _wrong(value, _("{value} is not a number that can be written out", value=shown(value)))
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
        raise _wrong(text, _("{value} is a percentage; the filter percent takes it", value=shown(text)))
    if found.unit and not (fits and fits(found.unit)):
        raise _wrong(text, _("{value} is in {unit}, which would be lost", value=shown(text), unit=repr(found.unit)))
    said = [mark_of(locale) for locale in locales]
    by_program = COMMA not in text and (not isinstance(text, Cell) or text._listed.typed)
    chosen: Decimal = _chosen(text, said, _NUMBERS, POINT if by_program else "")
    return chosen


@dataclass(frozen=True)
class _Kind:
    """What is read of a text: its meanings by way of writing, a meaning for people, a column's witnesses."""

    not_one: str
    """What is said of a text that is not one, marked for the catalogue."""
    read: Callable[[str], Mapping[str, Any]]
    write: Callable[[Any], str]
    witnesses: Callable[[Column], Witnesses]

    def denial(self, text: str) -> str:
        return _(self.not_one, value=shown(text)) if text.strip() else _("it is empty")

    def all_of(self, text: str) -> str:
        one, *others = (self.write(meaning) for meaning in dict.fromkeys(self.read(text).values()))
        for other in others:
            one = _("{one} or as {other}", one=one, other=other)
        return one


def _amounts(text: str) -> Mapping[str, Decimal]:
    found = figure(text)
    return found.values if found else {}


_NUMBERS = _Kind(
    N_("{value} is not a number"), _amounts, lambda number: f"{number.normalize():f}", lambda column: column.numbers
)
_DATES = _Kind(
    N_("{value} is not a date with a year of four digits, such as 2026-11-21"),
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
            raise _two(text, witnesses.open.text, kind, _(_SAY_WHOSE), witnesses.open.place)
    meanings = {found[way] for way in ways if way in found} or set(found.values())
    if len(meanings) > 1:
        raise _two(text, text, kind, _(_SAY_WHOSE) if isinstance(text, Cell) else _(_AS_JSON))
    return meanings.pop()


def _check_column(text: str, kind: _Kind) -> None:
    """Refuse a column that writes in two ways, whichever of its cells is asked for."""
    witnesses = _witnesses(text, kind)
    if not witnesses.is_mixed:
        return
    one, other = witnesses.ways.values()
    what = _(
        "the column uses two formats: {one} in {place} is {meaning}, but {other} in {other_place} is {other_meaning}",
        one=repr(one.text),
        place=one.place,
        meaning=kind.all_of(one.text),
        other=repr(other.text),
        other_place=other.place,
        other_meaning=kind.all_of(other.text),
    )
    if seen := witnesses.open:
        both = _(
            "so {text} in {place} can be read as {meanings}",
            text=repr(seen.text),
            place=seen.place,
            meanings=kind.all_of(seen.text),
        )
        what = f"{what}; {both}"
    raise _wrong(text, f"{what}; {_(_ONE_WAY)}", other.place)


def _check_proof(text: str, witnesses: Witnesses, said: set[str], kind: _Kind) -> None:
    """Refuse what its column and the language read differently.

    Save where all values have three digits behind their mark: 0.500 and 1.250 are written by one hand, and 99.00 and
    1.250 perhaps by two.
    """
    seen, first = witnesses.open, witnesses.ways[witnesses.proven]
    if seen and said - {witnesses.proven} and not witnesses.even:
        why = _(
            "{text} in {place} suggests one reading, the template's language another",
            text=repr(first.text),
            place=first.place,
        )
        raise _two(text, seen.text, kind, f"{why}; {_(_ONE_WAY)}", seen.place)


def _two(value: str, text: str, kind: _Kind, advice: str, place: str = "") -> DataError:
    what = _("{value} can be read as {meanings}", value=shown(text), meanings=kind.all_of(text))
    return _wrong(value, f"{what}; {advice}", place)


def _wrong(value: Any, what: str, place: str = "") -> DataError:
    return DataError(f"{value._listed.where(value._column, place)}: {what}" if isinstance(value, Cell) else what)


def _witnesses(text: str, kind: _Kind) -> Witnesses:
    column = text._listed.columns.get(text._column) if isinstance(text, Cell) else None
    return kind.witnesses(column) if column else Witnesses()


LOCALE = "locale"
"""The variable of the data that says how numbers and dates are written."""

DEFAULT_LOCALE = "template_locale"
"""The name under which a template's own language is kept in its globals."""

_FORMS = ("short", "medium", "long", "full")
_MOST_DIGITS = 20
_SIGNS = {"CHF": ("Fr", "SFr"), "CNY": ("RMB", "元"), "JPY": ("円",), "TWD": ("元",), "INR": ("Rs",), "RUB": ("руб",)}
"""Signs in use that CLDR has for no currency."""


@pass_context
def number(context: Context, value: Any, digits: int | None = None, locale: str = "") -> str:
    """1234.5 -> 1,234.5; with digits=2 -> 1,234.50. In German 1.234,50."""
    country = _locale(context, locale)
    form = _with_digits(country.decimal_formats[None].pattern, digits)
    return _rounded(
        lambda amount: format_decimal(amount, form, country), decimal_of(value, _said(context, locale, value))
    )


@pass_context
def money(context: Context, value: Any, currency: str = "", locale: str = "") -> str:
    """An amount with its currency, whose own digits it has: €1,234.50, in German 1.234,50 €."""
    if not (isinstance(currency, str) and len(currency) == 3 and currency.isascii() and currency.isalpha()):
        raise ValueError(
            _('money needs a currency of three letters, such as money("EUR"), not {currency}', currency=repr(currency))
        )
    country, code = _locale(context, locale), currency.upper()
    said = _said(context, locale, value)
    amount = decimal_of(value, said, fits=lambda sign: _is_sign(sign, code, [*said, country]))
    return _rounded(lambda amount: format_currency(amount, code, locale=country), amount)


@pass_context
def percent(context: Context, value: Any, digits: int = 0, locale: str = "") -> str:
    """0.19 -> 19%, in German 19 %. So is the text 19 %."""
    country = _locale(context, locale)
    form = _with_digits(country.percent_formats[None].pattern, digits)
    share = decimal_of(value, _said(context, locale, value), percent=True)
    return _rounded(lambda amount: format_percent(amount, form, country), share)


@pass_context
def as_date(context: Context, value: Any, form: str = "long", locale: str = "") -> str:
    """2026-11-21 -> November 21, 2026. form: short, medium, long, full, or a CLDR pattern such as dd.MM.yyyy."""
    moment = moment_of(value, _said(context, locale, value))
    return format_date(moment.date(), _form(form, "dd.MM.yyyy"), _locale(context, locale))


@pass_context
def as_time(context: Context, value: Any, form: str = "short", locale: str = "") -> str:
    """2026-11-21T14:05 -> 2:05 PM. The clock of the data's own time zone."""
    try:
        moment = time.fromisoformat(str(value))
    except ValueError:
        moment = moment_of(value, _said(context, locale, value)).timetz()
    return format_time(moment.replace(tzinfo=None), _form(form, "HH:mm"), locale=_locale(context, locale))


@pass_context
def as_datetime(context: Context, value: Any, form: str = "medium", locale: str = "") -> str:
    """2026-11-21T14:05 -> Nov 21, 2026, 2:05:00 PM."""
    moment = moment_of(value, _said(context, locale, value)).replace(tzinfo=None)
    return format_datetime(moment, _form(form, "dd.MM.yyyy HH:mm"), locale=_locale(context, locale))


@pass_context
def as_float(context: Context, value: Any, default: Any = None) -> Any:
    """Jinja2's float, but a text is read as the other filters read it, and is never 0 because it is no number."""
    return _calculable(context, value, default, float)


@pass_context
def as_int(context: Context, value: Any, default: Any = None, base: int = 10) -> Any:
    """Jinja2's int, likewise."""
    if isinstance(value, str) and base != 10:  # hexadecimal and the like have one way of writing
        try:
            return int(value, base)
        except ValueError:
            if default is None:
                raise DataError(_("{value} is not a number of base {base}", value=shown(value), base=base)) from None
            return default
    return _calculable(context, value, default, int)


def _calculable(context: Context, value: Any, default: Any, kind: Callable[[Any], Any]) -> Any:
    if not isinstance(value, str):
        return kind(value)
    if default is not None and figure(value) is None:
        return default
    return kind(decimal_of(value, _said(context, "", value)))


FILTERS: dict[str, Callable[..., Any]] = {
    "number": number,
    "money": money,
    "percent": percent,
    "date": as_date,
    "time": as_time,
    "datetime": as_datetime,
    "float": as_float,
    "int": as_int,
}

OF_NUMBERS = frozenset({"number", "money", "percent", "float", "int"})
OF_DATES = frozenset({"date", "datetime"})


def _locale(context: Context, given: str) -> Locale:
    """What the filter says, else the data's `locale`, else the language of the template's html element, else en."""
    name = given or context.get(LOCALE, "")
    if isinstance(name, str) and name:
        found = known_locale(name)
        if found is None:
            raise ValueError(_("there is no locale {name}; write it as de, de-AT or pt-BR", name=repr(name[:40])))
        return found
    return known_locale(str(context.get(DEFAULT_LOCALE, ""))) or Locale("en")


def _said(context: Context, given: str, value: Any) -> list[Locale]:
    """Whose way of writing counts when `value` is read.

    A list is written by one hand, whoever its rows are for: the template's own language says how, else the filter's
    country, unless that comes from the list. For other data all that is said must agree.
    """
    own = known_locale(str(context.get(DEFAULT_LOCALE, "")))
    if isinstance(value, Cell):
        constant = known_locale(given) if isinstance(given, str) and not isinstance(given, Cell) else None
        return [locale for locale in (own, constant) if locale][:1]
    names = [name for name in (given, context.get(LOCALE, "")) if isinstance(name, str) and name]
    return [locale for locale in (*(known_locale(name) for name in names), own) if locale]


def _is_sign(sign: str, code: str, locales: Sequence[Locale]) -> bool:
    """Decide whether a sign or code in the data is that of a currency, as people of these languages write it."""
    signs = {get_currency_symbol(code, locale) for locale in [*locales, Locale("en")]}
    known = {code, *signs, *(sign.removeprefix(code[:2]) for sign in signs), *_SIGNS.get(code, ())}
    return western(sign).rstrip(".").casefold() in {western(one).strip().rstrip(".").casefold() for one in known}


def _rounded(write: Callable[[Decimal], str], amount: Decimal) -> str:
    """Halves go away from zero, as in trade."""
    with localcontext() as rules:
        rules.rounding = ROUND_HALF_UP
        return write(amount)


def _with_digits(pattern: str, digits: int | None) -> str:
    """A number pattern of CLDR, such as #,##0.###, with so many digits behind the point; None leaves it."""
    if digits is None:
        return pattern
    if not isinstance(digits, int) or not 0 <= digits <= _MOST_DIGITS:
        raise ValueError(_("digits must be a whole number up to {most}", most=_MOST_DIGITS))
    return re.sub(r"0(\.[0#]+)?", "0." + "0" * digits if digits else "0", pattern, count=1)


def _form(form: Any, example: str) -> str:
    if not isinstance(form, str) or "%" in form or len(form) > 100:
        raise ValueError(
            _(
                "a form is one of {forms}, or a pattern such as {example}, not {form}",
                forms=", ".join(_FORMS),
                example=example,
                form=shown(form),
            )
        )
    return form
